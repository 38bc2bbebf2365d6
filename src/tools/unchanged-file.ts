import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** A file as it was when its signature was looked at: the hash of its bytes, hex. */
export type VerifiedFile = { readonly file: string; readonly sha256: string };

/** No item file is larger. */
const MAX_BYTES = 1024 * 1024;

/**
 * Whether a file still has the bytes it had when it was verified. Called right before its process starts, after the wait
 * for a place: what is left open is the moment until the interpreter itself has opened the file. Its time and size are
 * not enough: two writes within one tick of the file system's clock may show the same.
 */
export function isUnchanged({ file, sha256 }: VerifiedFile): boolean {
  try {
    // Non-blocking, so that a pipe put in its place can't hang who asks.
    const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = fstatSync(handle);
      if (!stats.isFile() || stats.size > MAX_BYTES) return false;
      return createHash('sha256').update(readFileSync(handle)).digest('hex') === sha256;
    } finally {
      closeSync(handle);
    }
  } catch {
    // Gone or not readable: not the file that was verified.
    return false;
  }
}
