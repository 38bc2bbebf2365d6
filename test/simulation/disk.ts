import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Folders of one run, in memory where the system has a place for that. */
export interface Disk extends Disposable {
  /** A database file that is not there yet. */
  database(): string;
}

/** Makes a disk. */
export function createDisk(): Disk {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'skein-simulation-'));
  let count = 0;
  return {
    database() {
      const path = join(folder, `${++count}`);
      mkdirSync(path);
      return join(path, 'threads.db');
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}
