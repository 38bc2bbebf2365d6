import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

/** Writes a file that must not exist yet and makes it durable. @throws the error of the file system, such as EEXIST */
export function writeNewFile(file: string, text: string, mode: number): void {
  const handle = openSync(file, 'wx', mode);
  try {
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length;) done += writeSync(handle, bytes, done);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
