import { hash } from 'node:crypto';
import { chmodSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncFolder, writeDurably } from '../../core/durable-file.ts';
import { SkeinError, type SkeinErrorCode, toFailure } from '../../core/errors.ts';
import type { ItemKind, SpaceName } from '../../core/item.ts';
import { unwritable } from '../../core/unwritable.ts';
import type { ReadItem, Spaces } from '../spaces.ts';
import { MAX_ITEM_BYTES } from '../item-file.ts';
import type { FormOf } from './item-verifier.ts';
import { signText } from './sign-text.ts';
import { hasByteOrderMark } from './signature-lines.ts';
import type { Signer } from './signer.ts';

/** An item that was signed. */
export type SignedItem = {
  readonly kind: ItemKind;
  readonly id: string;
  readonly space: SpaceName;
  readonly file: string;
  /** Fingerprint of the key. */
  readonly key: string;
};

/** What signing works with. */
export type SignItemOptions = {
  readonly spaces: Pick<Spaces, 'read' | 'find'>;
  readonly formOf: FormOf;
  readonly signer: Signer;
  /** The present as an ISO text. */
  readonly atIso: () => string;
  /** What is wrong with an item by the schema of its kind; nothing if it may be signed. */
  readonly validate: (item: ReadItem) => readonly string[];
};

/** Which item: the first of that id, or the one in `space`. */
export type ItemReference = { readonly kind: ItemKind; readonly id: string; readonly space?: SpaceName | undefined };

/**
 * Checks an item and signs its file in place; a signature it has is replaced.
 *
 * @throws SkeinError `item_not_found`; `permission_denied` for the system space; `invalid_item` with `detail.problems`
 * for an item that does not meet its schema, a text that can't be signed, or a file that changes meanwhile; `invalid_item`
 * or `item_too_large` for one that could not be read any more with a signature; `project_unwritable`
 */
export function signItem({ kind, id, space }: ItemReference, options: SignItemOptions): SignedItem {
  const item = options.spaces.read(kind, id, space);
  const { file } = item.stamp;
  if (item.space === 'system') {
    throw refusal('permission_denied', `The ${kind} "${id}" belongs to the package; copy it to sign your own`, file);
  }
  refuseProblems(item, options.validate(item));
  const text = signed(item, options);
  if (Buffer.byteLength(text) > MAX_ITEM_BYTES) {
    throw refusal('item_too_large', `With a signature the file has more than ${MAX_ITEM_BYTES} bytes`, file);
  }
  refuseProblems(item, validateSigned(item, text, options), 'with a signature ');
  try {
    replaceFile(item, text, options.spaces);
  } catch (thrown) {
    throw unwritable(thrown, `The ${kind} "${id}" can't be signed`, { file });
  }
  return { kind, id: item.id, space: item.space, file, key: options.signer.fingerprint };
}

function refuseProblems({ kind, id, stamp }: ReadItem, problems: readonly string[], when = ''): void {
  if (problems.length === 0) return;
  const message = `The ${kind} "${id}" is not signed, since ${when}it is not as it should be: ${problems.join('; ')}`;
  throw new SkeinError('invalid_item', message, { where: { file: stamp.file }, detail: { problems } });
}

function signed(item: ReadItem, { formOf, signer, atIso }: SignItemOptions): string {
  try {
    return signText(item.raw, formOf(item), { signer, atIso: atIso() });
  } catch (thrown) {
    const { code, message, where } = toFailure(thrown);
    throw new SkeinError(code, message, { where: { ...where, file: item.stamp.file }, cause: thrown });
  }
}

/** What is read of a file has bounds, too, and a signature adds to it. */
function validateSigned(item: ReadItem, raw: string, { validate }: SignItemOptions): readonly string[] {
  const text = hasByteOrderMark(raw) ? raw.slice(1) : raw;
  try {
    return validate({ ...item, raw, text, sha256: hash('sha256', raw) });
  } catch (thrown) {
    const { code, message, where } = toFailure(thrown);
    const told = `The ${item.kind} "${item.id}" is not signed, since it could not be read with a signature: ${message}`;
    throw new SkeinError(code, told, { where: { ...where, file: item.stamp.file }, cause: thrown });
  }
}

/** Puts a new text in the place of a file that is still the one that was read: at once, durable, with the same mode. */
function replaceFile({ kind, id, space, stamp }: ReadItem, text: string, spaces: Pick<Spaces, 'find'>): void {
  const { file } = stamp;
  const draftFolder = mkdtempSync(join(dirname(file), '.signing-'));
  try {
    const draft = join(draftFolder, basename(file));
    const mode = statSync(file).mode & 0o777;
    writeDurably(draft, text, mode);
    // The process's umask has taken from it.
    chmodSync(draft, mode);
    const now = spaces.find(kind, id, space)?.stamp;
    if (now?.file !== file || now.inode !== stamp.inode || now.size !== stamp.size || now.ctimeMs !== stamp.ctimeMs) {
      throw refusal('invalid_item', 'The item file was changed while it was signed; try again', file);
    }
    renameSync(draft, file);
    syncFolder(dirname(file));
  } finally {
    rmSync(draftFolder, { recursive: true });
  }
}

function refusal(code: SkeinErrorCode, message: string, file: string): SkeinError {
  return new SkeinError(code, message, { where: { file } });
}
