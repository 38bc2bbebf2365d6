import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { sep } from 'node:path';
import { SkeinError, type SkeinErrorCode } from '../core/errors.ts';

/** An item file as it was when it was checked. Two equal stamps mean the same content. */
export type FileStamp = {
  /** Absolute, symlinks resolved. */
  readonly file: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly inode: number;
};

/** The largest item file that is read. */
const MAX_ITEM_BYTES = 1024 * 1024;

/**
 * Checks an item file through an open handle, so that what was checked is what is read: a regular file whose resolved
 * path lies inside the space.
 *
 * @returns undefined if there is no such file
 * @throws SkeinError `item_id_refused` for a path that leads out of the space, `invalid_item` for anything that is no
 * readable regular file
 */
export function inspectItemFile(path: string, spaceRoot: string): FileStamp | undefined {
  return withItemFile(path, spaceRoot, (stamp) => stamp);
}

/**
 * Reads an item file as text: at most 1 MiB, valid UTF-8, a byte order mark removed.
 *
 * @throws SkeinError as {@link inspectItemFile}, `item_too_large`, or `invalid_item` for bytes that are no UTF-8
 */
export function readItemFile(path: string, spaceRoot: string): { stamp: FileStamp; text: string } | undefined {
  return withItemFile(path, spaceRoot, (stamp, handle) => ({
    stamp,
    text: decode(readAll(handle, stamp), stamp.file),
  }));
}

function withItemFile<Value>(
  path: string,
  spaceRoot: string,
  use: (stamp: FileStamp, handle: number) => Value,
): Value | undefined {
  const handle = open(path);
  if (handle === undefined) return undefined;
  try {
    return use(check(handle, path, spaceRoot), handle);
  } finally {
    closeSync(handle);
  }
}

/** Non-blocking, so that a named pipe can't hang the thread. */
function open(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return undefined;
    throw problem('invalid_item', `The item file can't be opened (${code}); a readable file is expected`, path);
  }
}

function check(handle: number, path: string, spaceRoot: string): FileStamp {
  const opened = fstatSync(handle);
  if (!opened.isFile()) throw problem('invalid_item', 'The item is not a regular file', path);
  const file = resolved(path);
  if (!file.startsWith(spaceRoot.endsWith(sep) ? spaceRoot : spaceRoot + sep)) {
    throw problem('item_id_refused', `The item's file leads out of its space ${spaceRoot}`, path);
  }
  const named = statSync(file, { throwIfNoEntry: false });
  if (named?.ino !== opened.ino || named.dev !== opened.dev) {
    throw problem('invalid_item', 'The item file was replaced while it was read; try again', path);
  }
  return { file, size: opened.size, mtimeMs: opened.mtimeMs, ctimeMs: opened.ctimeMs, inode: opened.ino };
}

function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw problem('invalid_item', `The item file's path can't be resolved (${errorCode(error)})`, path);
  }
}

function readAll(handle: number, { size, file }: FileStamp): Uint8Array {
  if (size > MAX_ITEM_BYTES) throw tooLarge(file, size);
  // One byte more than the file had, to notice that it has grown.
  const bytes = new Uint8Array(size + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read) {
    read = readSync(handle, bytes, length, bytes.length - length, length);
  }
  if (length > size) throw problem('invalid_item', 'The item file grew while it was read; try again', file);
  return bytes.subarray(0, length);
}

function decode(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new SkeinError('invalid_item', 'The item file is not valid UTF-8 text', { where: { file }, cause: error });
  }
}

function tooLarge(file: string, size: number): SkeinError {
  return problem('item_too_large', `The item file has ${size} bytes; ${MAX_ITEM_BYTES} are accepted`, file);
}

function problem(code: SkeinErrorCode, message: string, file: string): SkeinError {
  return new SkeinError(code, message, { where: { file } });
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
