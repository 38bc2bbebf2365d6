import { hash } from 'node:crypto';
import { readRegularFile } from '../core/regular-file.ts';

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
    const found = readRegularFile(file, { maxBytes: MAX_BYTES });
    return found.kind === 'regular' && hash('sha256', found.bytes) === sha256;
  } catch {
    // Gone or not readable: not the file that was verified.
    return false;
  }
}
