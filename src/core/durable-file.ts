import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Writes a new file, and is back once its content is on the disk. What is there, a link as well, is refused. Nothing is left
 * of a file that can't be written to its end.
 *
 * @throws the error of the file system, such as EEXIST
 */
export function writeDurably(file: string, text: string, mode: number): void {
  const opened = openSync(file, 'wx', mode);
  try {
    withOpen(opened, (descriptor) => writeFileSync(descriptor, text));
  } catch (error) {
    try {
      rmSync(file, { force: true });
    } catch {
      // The first error says why.
    }
    throw error;
  }
}

/** Is back once the names of a folder's files are on the disk, those after a rename as well. */
export function syncFolder(folder: string): void {
  // Windows can't sync a folder.
  if (process.platform !== 'win32') withOpen(openSync(folder, 'r'), () => undefined);
}

function withOpen(descriptor: number, write: (descriptor: number) => void): void {
  try {
    write(descriptor);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
