import { existsSync } from 'node:fs';
import { archivePath } from '../archive-shelf.ts';
import type { Connection } from '../connection.ts';
import { openChecked, requireDatabase } from '../reader.ts';
import { naming } from '../sqlite-failure.ts';

/** Opens a project's database by `open`, and its archive to be read, for as long as `use` takes. Throws as `openReader` does. */
export function withBoth<Result>(
  path: string,
  open: (file: string) => Connection,
  use: (db: Connection, archive: Connection | undefined) => Result,
): Result {
  requireDatabase(path);
  const opened: Connection[] = [];
  const connect = (file: string, how: typeof open): Connection => {
    const db = naming(file, () => how(file));
    opened.push(db);
    return db;
  };
  try {
    const db = connect(path, open);
    const old = archivePath(path);
    const archive = existsSync(old) ? connect(old, openChecked) : undefined;
    return naming(path, () => use(db, archive));
  } finally {
    for (const db of opened) db.close();
  }
}
