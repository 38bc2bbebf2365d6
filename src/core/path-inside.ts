import { sep } from 'node:path';

/** Whether a path lies below a folder; both absolute and without links. */
export function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
