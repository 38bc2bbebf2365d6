import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { SkeinError } from '../core/errors.ts';

/**
 * The root of a project, resolved; without one the folder that is worked in. A runtime makes `.ai/threads` below it, never
 * the project itself.
 *
 * @throws SkeinError `invalid_argument` for what is no folder
 */
export function projectFolder(project = '.', workedIn = ''): string {
  const path = resolve(workedIn, project);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new SkeinError('invalid_argument', `The project ${path} is not a folder`, { where: { file: path } });
}
