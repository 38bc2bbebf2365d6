import { isUtf8 } from 'node:buffer';
import { realpathSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { codeOf, isAbsent } from '../core/code-of.ts';
import { isInside } from '../core/path-inside.ts';
import { readRegularFile } from '../core/regular-file.ts';

/** A file of a project as text, or why it is none. */
export type ProjectFile =
  | { readonly kind: 'text'; readonly text: string; readonly bytes: Uint8Array; readonly stats: Stats }
  /** `bytes`: of one that is no text. */
  | { readonly kind: 'unusable'; readonly reason: string; readonly stats?: Stats; readonly bytes?: Uint8Array };

/** The largest file that is read, in bytes. */
const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Reads a file of the project whose real root is `root`: UTF-8 text of at most 1 MiB in a regular file that lies inside,
 * links followed. Nothing that is outside is opened.
 *
 * @param path relative to the root, with `/`
 * @returns undefined if there is no such file inside
 */
export function readProjectFile(root: string, path: string): ProjectFile | undefined {
  const place = placeInside(root, path);
  if (place.kind === 'none') return undefined;
  try {
    return readInside(place.file);
  } catch (error) {
    return { kind: 'unusable', reason: unreadable(error) };
  }
}

/** The real place of a path inside the root, or why there is none. */
type Place = { readonly kind: 'inside'; readonly file: string } | { readonly kind: 'none'; readonly reason: string };

/** Where a path leads. One that is written in an odd way leads nowhere. */
export function placeInside(root: string, path: string): Place {
  const names = path.split('/');
  if (names.includes('..')) return OUTSIDE;
  if (/[\0\\]/.test(path) || names.includes('') || names.includes('.')) return NO_PATH;
  try {
    const file = realpathSync.native(join(root, path));
    return isInside(file, root) ? { kind: 'inside', file } : OUTSIDE;
  } catch (error) {
    return { kind: 'none', reason: unreadable(error) };
  }
}

const NO_PATH: Place = { kind: 'none', reason: 'that is no path of a file' };
const OUTSIDE: Place = { kind: 'none', reason: 'it leads out of the project' };

/** What a file system has said. */
function unreadable(error: unknown): string {
  const code = codeOf(error);
  if (code === undefined) throw error;
  return isAbsent(error) ? 'it is not there' : `it can't be read (${code})`;
}

function readInside(file: string): ProjectFile {
  const found = readRegularFile(file, { maxBytes: MAX_FILE_BYTES, isReal: true });
  switch (found.kind) {
    case 'regular':
      return decode(found.bytes, found.stats);
    case 'too_large':
      return { kind: 'unusable', reason: `it has more than ${MAX_FILE_BYTES} bytes`, stats: found.stats };
    case 'not_regular':
      return { kind: 'unusable', reason: 'it is no regular file, but a folder or the like' };
    case 'replaced':
      return { kind: 'unusable', reason: 'it was replaced' };
  }
}

const UTF8 = new TextDecoder();

function decode(bytes: Uint8Array, stats: Stats): ProjectFile {
  if (bytes.includes(0)) return { kind: 'unusable', reason: 'it is binary', stats, bytes };
  if (!isUtf8(bytes)) return { kind: 'unusable', reason: 'it is not UTF-8 text', stats, bytes };
  return { kind: 'text', text: UTF8.decode(bytes), bytes, stats };
}
