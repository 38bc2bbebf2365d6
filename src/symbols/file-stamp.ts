import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../core/code-of.ts';

/** A change within this time of another may leave the same stamp, on a coarse file system. */
const TOO_YOUNG_MS = 2000;

/** What a file looks like from outside. Empty if it was changed so shortly before `now` that this could not tell a next change. */
export function stampOf({ size, mtimeMs, ctimeMs }: Stats, now: number): string {
  return Math.max(mtimeMs, ctimeMs) > now - TOO_YOUNG_MS ? '' : `${size}:${mtimeMs}:${ctimeMs}`;
}

/** @returns undefined if there is no regular file (any more); links are none */
export function lookAt(root: string, path: string): Stats | undefined {
  try {
    const stats = lstatSync(join(root, path), { throwIfNoEntry: false });
    return stats?.isFile() ? stats : undefined;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}
