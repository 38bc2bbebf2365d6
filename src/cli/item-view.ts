import { type Failure, SkeinError, toFailure } from '../core/errors.ts';
import type { ItemKind, SignatureState, SpaceName } from '../core/item.ts';
import { checkTrust, type ItemVerifier, type TrustPolicy } from '../items/item-trust.ts';
import type { ParsedItem } from '../items/parsed-item.ts';
import type { ParserRouter } from '../items/parser-router.ts';
import type { ReadItem } from '../items/spaces.ts';

/** An item file that is there by its name; it has not been looked at. */
export type LocatedItem = {
  readonly kind: ItemKind;
  readonly id: string;
  readonly space: SpaceName;
  /** Whether the file is in none of the spaces, and only read as if it were the project's. */
  readonly isOutside: boolean;
  readonly file: string;
  /** Spaces whose item of the same kind and id is not taken because of this one. */
  readonly shadows: readonly SpaceName[];
  /** The space whose item is taken instead. */
  readonly shadowedBy: SpaceName | undefined;
  /** What is to be said about the place, such as another file that wins. */
  readonly remarks: readonly string[];
  /** @throws SkeinError for a file that can't be read as an item */
  readonly read: () => ReadItem;
};

/** An item as it is shown: how it stands with its signature, and what was parsed of it or why nothing was. */
export type ItemView = Omit<LocatedItem, 'read' | 'remarks'> & {
  readonly signature: SignatureState | { readonly state: 'unreadable' };
  readonly warnings: readonly string[];
  readonly content: ItemContent | { readonly refusal: Failure };
};

/** A parsed item with the whole text of its file. */
export type ItemContent = { readonly parsed: ParsedItem; readonly wholeText: string };

/** What looking at items works with. */
export type ViewServices = {
  readonly verify: ItemVerifier;
  readonly router: Pick<ParserRouter, 'parse'>;
  readonly policy: TrustPolicy;
};

/** Reads, verifies and parses a file; whatever an item can be refused for is part of the view. */
export function viewItem({ read, remarks, ...place }: LocatedItem, services: ViewServices): ItemView {
  const item = attempt(read);
  if (!item.ok) {
    return { ...place, signature: { state: 'unreadable' }, warnings: remarks, content: { refusal: item.refusal } };
  }
  const signature = services.verify(item.value);
  const content = attempt(() => {
    // What it remarks on is in the signature's state.
    checkTrust(item.value, () => signature, services.policy);
    return { parsed: services.router.parse(item.value), wholeText: item.value.raw };
  });
  if (!content.ok) return { ...place, signature, warnings: remarks, content: { refusal: content.refusal } };
  return { ...place, signature, warnings: [...remarks, ...content.value.parsed.warnings], content: content.value };
}

type Attempt<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly refusal: Failure };

function attempt<Value>(action: () => Value): Attempt<Value> {
  try {
    return { ok: true, value: action() };
  } catch (thrown) {
    if (!(thrown instanceof SkeinError)) throw thrown;
    return { ok: false, refusal: toFailure(thrown) };
  }
}

/** Why an item is refused, if it is. */
export function refusalOf({ content }: Pick<ItemView, 'content'>): Failure | undefined {
  return 'refusal' in content ? content.refusal : undefined;
}
