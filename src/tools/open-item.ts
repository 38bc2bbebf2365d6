import type { SignatureState } from '../core/item.ts';
import { checkTrust, type ItemVerifier, type TrustPolicy } from '../items/item-trust.ts';
import type { ParserRouter } from '../items/parser-router.ts';
import type { Spaces } from '../items/spaces.ts';
import type { ActionItems } from './primary-items.ts';

/** What opening an item works with. */
export type OpenItemServices = {
  readonly spaces: Pick<Spaces, 'read'>;
  readonly router: Pick<ParserRouter, 'parse'>;
  readonly verify: ItemVerifier;
  readonly policy: TrustPolicy;
};

/** Makes the function that reads an item from disk, verifies what was read and parses it. */
export function createItemOpener({ spaces, router, verify, policy }: OpenItemServices): ActionItems['open'] {
  return (kind, id, source) => {
    const item = spaces.read(kind, id, source);
    const state: { signature: SignatureState } = { signature: { state: 'unsigned' } };
    const remarks = checkTrust(item, (read) => (state.signature = verify(read)), policy);
    const parsed = router.parse(item);
    const warnings = [...remarks, ...parsed.warnings];
    return { parsed: { ...parsed, warnings }, signature: state.signature, wholeText: item.raw };
  };
}
