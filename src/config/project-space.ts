import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { codeOf } from '../core/code-of.ts';

/**
 * The space of a project, `.ai` in it; undefined if that is the user's own, which counts as user space only. They are one folder
 * also if the way to it has links, such as a home that is one. Looks at the disk: for what is opened or loaded once.
 */
export function projectSpaceOf(projectPath: string, userSpace: string | undefined): string | undefined {
  const space = resolve(projectPath, '.ai');
  return userSpace !== undefined && realPath(space) === realPath(userSpace) ? undefined : space;
}

/** What is not there, or can't be reached, is what its path says. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return resolve(path);
  }
}
