import type { ItemKind, SpaceName } from '../core/item.ts';
import type { SignedItem } from '../items/signature/sign-item.ts';
import type { SignRequest } from './primary-request.ts';
import { success, type PrimaryResult } from './primary-result.ts';

type Reference = { readonly kind: ItemKind; readonly id: string; readonly space?: SpaceName | undefined };

/** What signing needs. */
export interface ItemSigning {
  /** Validates an item and signs its file. @throws SkeinError for whatever keeps it from being signed */
  sign(item: Reference): SignedItem;
  /** Where the item is and what is wrong with it by the schema of its kind. @throws SkeinError as `sign` */
  check(item: Reference): { readonly space: SpaceName; readonly file: string; readonly problems: readonly string[] };
}

/** Signs an item, or with `dry_run` says whether it could be. @throws SkeinError as {@link ItemSigning} */
export function signForResult({ kind, id, source, dryRun }: SignRequest, signing: ItemSigning): PrimaryResult {
  const item = { kind, id, space: source };
  const subject = { type: kind, item_id: id };
  if (dryRun) {
    const { space, file, problems } = signing.check(item);
    return success(subject, { dry_run: true, signed: false, source: space, path: file, problems });
  }
  const { space, file, key } = signing.sign(item);
  return success(subject, { signed: true, source: space, path: file, key });
}
