import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf, SkeinError } from '../core/errors.ts';

/**
 * The root of a project, resolved; without one the folder that is worked in. A runtime makes `.ai/threads` below it, never
 * the project itself.
 *
 * @throws SkeinError `invalid_argument` for what is no folder, or can't be looked at
 */
export function projectFolder(project = '.', workedIn = ''): string {
  const path = resolve(workedIn, project);
  if (isFolder(path)) return path;
  throw new SkeinError('invalid_argument', `The project ${path} is not a folder`, { where: { file: path } });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch (cause) {
    const message = `Whether the project ${path} is a folder can't be seen: ${messageOf(cause)}`;
    throw new SkeinError('invalid_argument', message, { where: { file: path }, cause });
  }
}
