import { SkeinError, toFailure } from '../../core/errors.ts';
import { ITEM_KINDS, SPACE_NAMES, type ItemKind, type SignatureState, type SpaceName } from '../../core/item.ts';
import { checkTrust, type ItemVerifier, type TrustPolicy } from '../item-trust.ts';
import type { FoundItem, ReadItem, Spaces } from '../spaces.ts';

/** How a file of a space stands, and whether it may be used. */
export type VerifiedItem = {
  readonly kind: ItemKind;
  readonly id: string;
  readonly space: SpaceName;
  readonly file: string;
  /** `unreadable` is what could not be read as an item at all. */
  readonly signature: SignatureState | { readonly state: 'unreadable' };
  /** Whether the trust policy refuses it. */
  readonly refused: boolean;
  /** Why it is refused, or what is to be remarked on. */
  readonly remark: string | undefined;
};

/** What verifying works with. */
export type VerifyItemsOptions = {
  readonly spaces: Pick<Spaces, 'find' | 'read' | 'list'>;
  readonly verify: ItemVerifier;
  readonly policy: TrustPolicy;
};

/** Which items: absent means all. */
export type ItemSelection = {
  readonly ids?: readonly string[] | undefined;
  readonly kind?: ItemKind | undefined;
  readonly space?: SpaceName | undefined;
};

/**
 * Checks items in every space they are in, shadowed ones included: by kind, then id, then space.
 *
 * @throws SkeinError `item_id_refused` for an id that is none
 */
export function verifyItems({ ids, kind, space }: ItemSelection, options: VerifyItemsOptions): readonly VerifiedItem[] {
  const kinds = ITEM_KINDS.filter((each) => kind === undefined || each === kind);
  const spaces = SPACE_NAMES.filter((each) => space === undefined || each === space);
  return kinds.flatMap((each) =>
    (ids ?? options.spaces.list(each)).flatMap((id) => spaces.flatMap((at) => verifyOne(each, { id, at }, options))),
  );
}

type Place = { readonly id: string; readonly at: SpaceName };

function verifyOne(kind: ItemKind, { id, at }: Place, options: VerifyItemsOptions): readonly VerifiedItem[] {
  let found: FoundItem | undefined;
  try {
    found = options.spaces.find(kind, id, at);
    return found === undefined ? [] : [judge(options.spaces.read(kind, id, at), options)];
  } catch (thrown) {
    const { code, message, where } = toFailure(thrown);
    // An id that is refused for itself, not for the file it leads to, names no item.
    if (code === 'item_id_refused' && where === undefined) throw thrown;
    const file = found?.stamp.file ?? where?.file ?? id;
    return [{ kind, id, space: at, file, signature: { state: 'unreadable' }, refused: true, remark: message }];
  }
}

function judge(item: ReadItem, { verify, policy }: VerifyItemsOptions): VerifiedItem {
  const signature = verify(item);
  const { kind, id, space } = item;
  const verified = { kind, id, space, file: item.stamp.file, signature };
  try {
    const [remark] = checkTrust(item, () => signature, policy);
    return { ...verified, refused: false, remark };
  } catch (thrown) {
    if (!(thrown instanceof SkeinError)) throw thrown;
    return { ...verified, refused: true, remark: thrown.message };
  }
}
