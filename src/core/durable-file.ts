import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs';

/** How a file is opened: `wx` refuses what is there, links as well. */
type Opening = { readonly flag: 'wx'; readonly mode: number };

/** Writes a new file, and is back once its content is on the disk. @throws the error of the file system, such as EEXIST */
export function writeDurably(file: string, text: string, { flag, mode }: Opening): void {
  withOpen(openSync(file, flag, mode), (descriptor) => writeFileSync(descriptor, text));
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
