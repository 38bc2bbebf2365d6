import { SkeinError } from '../core/errors.ts';
import type { SignatureState, SpaceName } from '../core/item.ts';
import type { ReadItem } from './spaces.ts';

/** What happens to an item that no trusted key signed: it is refused, used with a warning, or used (`agent.yaml`). */
export type TrustPolicy = Readonly<Record<SpaceName, 'strict' | 'warn' | 'off'>>;

/** Checks the signature of an item; gets its text as it stands in the file. */
export type ItemVerifier = (item: ReadItem) => SignatureState;

/**
 * Applies the trust policy to an item before anything in it is read (contracts, "Unsigned items").
 *
 * @returns what is to be remarked on
 * @throws SkeinError `signature_wrong` for a wrong signature, whatever the policy; `item_unsigned` where the policy of its
 * space is `strict` and no trusted key signed it
 */
export function checkTrust(item: ReadItem, verify: ItemVerifier, policy: TrustPolicy): readonly string[] {
  const signature = verify(item);
  const { file } = item.stamp;
  const what = `The ${item.kind} "${item.id}" of the ${item.space} space`;
  if (signature.state === 'wrong') {
    const { reason, line } = signature;
    const where = { file, ...(line !== undefined && { line }) };
    throw new SkeinError('signature_wrong', `${what} has a wrong signature: ${reason}`, { where });
  }
  if (signature.state === 'trusted' || policy[item.space] === 'off') return [];
  const fault =
    signature.state === 'unsigned' ? 'is not signed' : `is signed with the key ${signature.key}, which is not trusted`;
  if (policy[item.space] === 'warn') return [`${what} ${fault}`];
  throw new SkeinError('item_unsigned', `${what} ${fault}, and trust.${item.space} is strict`, { where: { file } });
}
