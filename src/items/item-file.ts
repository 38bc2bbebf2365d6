import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { codeOf, isAbsent } from '../core/code-of.ts';
import { SkeinError, type SkeinErrorCode } from '../core/errors.ts';
import { isInside } from '../core/path-inside.ts';
import { type FoundFile, readRegularFile } from '../core/regular-file.ts';
import { hasCircle } from './link-circle.ts';

/** An item file as it was when it was checked. Two equal stamps mean the same content. */
export type ItemStamp = {
  /** Absolute, symlinks resolved. */
  readonly file: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly inode: number;
};

/** What is in an item file. */
export type ItemText = {
  readonly stamp: ItemStamp;
  /** The file as text, without a byte order mark. */
  readonly text: string;
  /** The file as text, byte order mark included: what a signature covers. */
  readonly raw: string;
  /** SHA-256 of the file's bytes, hex. */
  readonly sha256: string;
};

/** The largest item file that is read. */
export const MAX_ITEM_BYTES = 1024 * 1024;

/**
 * Checks an item file: a regular file whose resolved path lies inside the space. That is known before it is opened, and
 * checked again with the open handle, so that what was checked is what is read.
 *
 * @returns undefined if there is no such file
 * @throws SkeinError `item_id_refused` for a path that leads out of the space or in a circle, `invalid_item` for anything that is no
 * readable regular file
 */
export function inspectItemFile(path: string, spaceRoot: string): ItemStamp | undefined {
  return openItemFile(path, spaceRoot, 0)?.stamp;
}

/**
 * Reads an item file as text: at most 1 MiB, valid UTF-8.
 *
 * @throws SkeinError as {@link inspectItemFile}, `item_too_large`, or `invalid_item` for bytes that are no UTF-8
 */
export function readItemFile(path: string, spaceRoot: string): ItemText | undefined {
  const opened = openItemFile(path, spaceRoot, MAX_ITEM_BYTES);
  if (opened === undefined) return undefined;
  const { stamp, bytes } = opened;
  const { file, size } = stamp;
  if (bytes === undefined) {
    throw problem('item_too_large', `The item file has ${size} bytes; ${MAX_ITEM_BYTES} are accepted`, file);
  }
  if (bytes.length > size) throw problem('invalid_item', 'The item file grew while it was read; try again', file);
  const raw = decode(bytes, file);
  const text = raw.startsWith('\uFEFF') ? raw.slice(1) : raw;
  return { stamp, text, raw, sha256: hash('sha256', bytes) };
}

/**
 * The path of an item file with all links followed; undefined if there is no such file.
 *
 * @throws SkeinError `invalid_item` if that can't be found out
 */
export function realItemFile(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const code = errorCode(error);
    if (isAbsent(error) || code === 'ENAMETOOLONG') return undefined;
    throw problem('invalid_item', `The item file's path can't be resolved (${code})`, path);
  }
}

/** An item file that was checked; its bytes, if they are not too many. */
type OpenedFile = { readonly stamp: ItemStamp; readonly bytes: Uint8Array | undefined };

function openItemFile(path: string, spaceRoot: string, maxBytes: number): OpenedFile | undefined {
  const file = resolveInside(path, spaceRoot);
  if (file === undefined) return undefined;
  const found = read(file, maxBytes);
  if (found.kind === 'not_regular') throw problem('invalid_item', 'The item is not a regular file', file);
  if (found.kind === 'replaced') {
    throw problem('invalid_item', 'The item file was replaced while it was read; try again', file);
  }
  const { size, mtimeMs, ctimeMs, ino: inode } = found.stats;
  const stamp = { file, size, mtimeMs, ctimeMs, inode };
  return { stamp, bytes: found.kind === 'regular' ? found.bytes : undefined };
}

/** The path with all symlinks resolved. No file is opened for this. */
function resolveInside(path: string, spaceRoot: string): string | undefined {
  const file = isMissing(path) ? undefined : realItemFile(path);
  if (file === undefined) return undefined;
  if (!isInside(file, spaceRoot)) {
    throw problem('item_id_refused', `The item's file leads out of its space ${spaceRoot}`, path);
  }
  // A path that is written in another way has no folders of the space to be followed.
  if (file !== path && isInside(path, spaceRoot) && circles(path, spaceRoot)) {
    throw problem('item_id_refused', 'The item is reached through a link that leads in a circle', path);
  }
  return file;
}

function circles(path: string, spaceRoot: string): boolean {
  try {
    return hasCircle(path, spaceRoot);
  } catch (error) {
    throw problem('invalid_item', `The item file's path can't be followed (${errorCode(error)})`, path);
  }
}

/** Most files that are looked for are not there, and an error costs many times what this look does. */
function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    // What is wrong with it is said when it is resolved.
    return false;
  }
}

/** Looked at before it is opened: opening a device may do something. */
function read(file: string, maxBytes: number): FoundFile {
  try {
    return statSync(file).isFile() ? readRegularFile(file, { maxBytes, isReal: true }) : { kind: 'not_regular' };
  } catch (error) {
    const code = errorCode(error);
    throw problem('invalid_item', `The item file can't be opened (${code}); a readable file is expected`, file);
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array, file: string): string {
  try {
    return UTF8.decode(bytes);
  } catch (error) {
    const where = { file, line: lineOfBadBytes(bytes) };
    throw new SkeinError('invalid_item', 'The item file is not valid UTF-8 text', { where, cause: error });
  }
}

/** A line feed is part of no other character, so that each line is valid or not by itself. */
function lineOfBadBytes(bytes: Uint8Array): number {
  for (let line = 1, start = 0; ; line++) {
    const end = bytes.indexOf(0x0a, start);
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
}

function problem(code: SkeinErrorCode, message: string, file: string): SkeinError {
  return new SkeinError(code, message, { where: { file } });
}

function errorCode(error: unknown): string {
  return codeOf(error) ?? 'unknown';
}
