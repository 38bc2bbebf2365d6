import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { SkeinError } from '../core/errors.ts';
import { isThreadId } from '../core/ids.ts';
import { unwritable } from './unwritable.ts';

/**
 * Refuses (`project_unwritable`) a link where a file or folder of the project's state belongs: a project may come from anywhere,
 * and what is written there would be written to another place.
 */
export function refuseLink(file: string): void {
  try {
    if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  } catch (error) {
    throw unwritable(file, error);
  }
  throw unwritable(file, new Error(`${file} is a symbolic link: put what it leads to in its place`));
}

/**
 * The folder of a thread beside the database. The id comes from a row, and the database may come from anywhere: what is no
 * id (`../..`) leads nowhere.
 *
 * @throws SkeinError `store_corrupt`
 */
export function threadFolder(folder: string, threadId: string): string {
  if (isThreadId(threadId)) return join(folder, threadId);
  const shown = JSON.stringify(threadId.slice(0, 80));
  throw new SkeinError('store_corrupt', `a thread's id in the database is ${shown}, which is none`, {
    where: { file: folder },
  });
}
