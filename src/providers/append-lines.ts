import { openSync, writeSync } from 'node:fs';

/**
 * Makes a file, readable by its owner alone, and gives what adds to it: at once and whole, so that nothing of a line waits in
 * memory for a process that may be killed.
 *
 * @throws an error of the file system if the file can't be made or is there; what it gives throws one if it can't be written
 */
export function appendLines(file: string): (line: string) => void {
  const opened = openSync(file, 'ax', 0o600);
  return (line) => {
    const bytes = Buffer.from(`${line}\n`, 'utf8');
    for (let written = 0; written < bytes.length;) written += writeSync(opened, bytes, written);
  };
}
