import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf } from '../core/code-of.ts';

/**
 * The space of a project, `.ai` in it; undefined if that is the user's own, which counts as user space only. They are one folder
 * also if the way to it has links, such as a home that is one. Looks at the disk: for what is opened or loaded once.
 */
export function projectSpaceOf(projectPath: string, userSpace: string | undefined): string | undefined {
  const space = resolve(projectPath, '.ai');
  return userSpace !== undefined && realPath(space) === realPath(userSpace) ? undefined : space;
}

/** What is not there, or can't be reached, is where its folder is. */
function realPath(path: string): string {
  const whole = resolve(path);
  try {
    return realpathSync.native(whole);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    const folder = dirname(whole);
    return folder === whole ? whole : join(realPath(folder), basename(whole));
  }
}
