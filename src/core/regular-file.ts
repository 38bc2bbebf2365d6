import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, type Stats, statSync } from 'node:fs';
import { codeOf } from './code-of.ts';

/** What stands in a file's place. `replaced`: another file than the one that was meant. */
export type FoundFile =
  | { readonly kind: 'regular'; readonly stats: Stats; readonly bytes: Buffer }
  | { readonly kind: 'too_large'; readonly stats: Stats }
  | { readonly kind: 'not_regular' }
  | { readonly kind: 'replaced' };

/** What is read. */
export type ReadOptions = {
  readonly maxBytes: number;
  /** The path is absolute and has no links: what is reached through one all the same was put there since. */
  readonly isReal?: boolean;
};

/**
 * Reads a regular file that anybody may have put there, or exchange at any time. Opened non-blocking, so that a named pipe
 * can't hang the thread; what is checked is the file that was opened.
 *
 * @throws the error of the file system: `ENOENT`, or `ELOOP` for a link in the place of a file whose path is real
 */
export function readRegularFile(file: string, { maxBytes, isReal = false }: ReadOptions): FoundFile {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | (isReal ? constants.O_NOFOLLOW : 0));
  try {
    const stats = fstatSync(handle);
    if (isReal && !isAt(file, stats)) return { kind: 'replaced' };
    if (!stats.isFile()) return { kind: 'not_regular' };
    if (stats.size > maxBytes) return { kind: 'too_large', stats };
    const bytes = readUpTo(handle, stats.size, maxBytes);
    return bytes.length > maxBytes ? { kind: 'too_large', stats } : { kind: 'regular', stats, bytes };
  } finally {
    closeSync(handle);
  }
}

/** How much is read at a time of what has no end yet where it should. */
const PART_BYTES = 4096;

/** All that is in a file, or more than `most` bytes of it: it may grow, and files that are made as they are read have no size. */
function readUpTo(handle: number, size: number, most: number): Buffer {
  const parts: Buffer[] = [];
  let length = 0;
  for (let room = size + 1; length <= most; room = PART_BYTES) {
    const part = Buffer.allocUnsafe(room);
    const read = readSync(handle, part);
    if (read === 0) break;
    parts.push(part.subarray(0, read));
    length += read;
  }
  const [whole = Buffer.alloc(0), ...more] = parts;
  return more.length === 0 ? whole : Buffer.concat(parts);
}

/** A path whose folders were exchanged before the opening leads to another file now, or did so then. */
function isAt(file: string, opened: Stats): boolean {
  try {
    const named = realpathSync.native(file) === file ? statSync(file) : undefined;
    return named?.ino === opened.ino && named.dev === opened.dev;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return false;
  }
}
