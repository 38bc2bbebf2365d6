import { lstatSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../core/code-of.ts';

/**
 * The folder of a project's symbol cache, made if the project has a space: `.ai/cache/symbols`, kept out of version control.
 *
 * @param root the project's real root
 * @returns undefined where nothing can be kept: without a space, on a read-only disk, or if a link on the way would lead
 * the writes to another place
 */
export function openCacheFolder(root: string): string | undefined {
  const cache = join(root, '.ai', 'cache');
  const folder = join(cache, 'symbols');
  try {
    if (!isOwn(join(root, '.ai'))) return undefined;
    if (lstatSync(cache, { throwIfNoEntry: false }) === undefined) {
      mkdirSync(cache, { mode: 0o700 });
      writeFileSync(join(cache, '.gitignore'), '*\n');
    }
    if (!isOwn(cache)) return undefined;
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) mkdirSync(folder, { mode: 0o700 });
    return isOwn(folder) ? folder : undefined;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}

/** Whether a folder is there, and no link to another place. Looked at before anything is written into it. */
function isOwn(folder: string): boolean {
  return lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true && realpathSync.native(folder) === folder;
}
