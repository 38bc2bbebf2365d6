import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { codeOf } from '../core/code-of.ts';

/** A file of a project as text, or why it is none. */
export type ProjectFile =
  | { readonly kind: 'text'; readonly text: string; readonly bytes: Uint8Array; readonly stats: Stats }
  /** `bytes`: of one that is no text. */
  | { readonly kind: 'unusable'; readonly reason: string; readonly stats?: Stats; readonly bytes?: Uint8Array };

/** The largest file that is read, in bytes. */
export const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Reads a file of the project whose real root is `root`: UTF-8 text of at most 1 MiB in a regular file that lies inside,
 * links followed. Nothing that is outside is opened.
 *
 * @param path relative to the root, with `/`
 * @returns undefined if there is no such file inside
 */
export function readProjectFile(root: string, path: string): ProjectFile | undefined {
  const file = insidePath(root, path);
  if (file === undefined) return undefined;
  try {
    return readInside(file);
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    return { kind: 'unusable', reason: `it can't be read (${code})` };
  }
}

/** The real place of a path inside the root; undefined if it leads out, is written in an odd way, or is not there. */
export function insidePath(root: string, path: string): string | undefined {
  if (/[\0\\]/.test(path) || path.split('/').some((name) => ['', '.', '..'].includes(name))) return undefined;
  const file = realPath(join(root, path));
  return file?.startsWith(root.endsWith(sep) ? root : root + sep) ? file : undefined;
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    // It is not there, or nobody may look: either way it is not inside.
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}

/** Non-blocking, so that a named pipe in the file's place can't hang the thread, and never through a new link. */
function readInside(file: string): ProjectFile {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const stats = fstatSync(handle);
    // A folder on the way may have become a link since.
    if (realPath(file) !== file || statSync(file).ino !== stats.ino)
      return { kind: 'unusable', reason: 'it was replaced' };
    if (!stats.isFile()) return { kind: 'unusable', reason: 'it is no regular file' };
    if (stats.size > MAX_FILE_BYTES)
      return { kind: 'unusable', reason: `it has more than ${MAX_FILE_BYTES} bytes`, stats };
    return decode(readBytes(handle, stats.size), stats);
  } finally {
    closeSync(handle);
  }
}

function readBytes(handle: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let length = 0;
  for (let read = -1; read !== 0 && length < size; length += read) {
    read = readSync(handle, bytes, length, size - length, length);
  }
  return bytes.subarray(0, length);
}

const UTF8 = new TextDecoder();

function decode(bytes: Uint8Array, stats: Stats): ProjectFile {
  if (bytes.includes(0)) return { kind: 'unusable', reason: 'it is binary', stats, bytes };
  if (!isUtf8(bytes)) return { kind: 'unusable', reason: 'it is not UTF-8 text', stats, bytes };
  return { kind: 'text', text: UTF8.decode(bytes), bytes, stats };
}
