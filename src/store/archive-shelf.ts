import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Connection } from './connection.ts';
import { prepareQueries, type Queries } from './queries.ts';

/** The archive beside a database. */
export function archivePath(path: string): string {
  return join(dirname(path), 'archive.db');
}

/** The archive of a project as its readers see it. */
export interface ArchiveShelf {
  /** Its queries, once there is one. */
  queries(): Queries | undefined;
  close(): void;
}

/** Opens the archive when it is first needed and there: a runtime may begin one while others read. */
export function createArchiveShelf(path: string, open: (file: string) => Connection): ArchiveShelf {
  const file = archivePath(path);
  let db: Connection | undefined;
  let queries: Queries | undefined;
  return {
    queries() {
      if (queries || !existsSync(file)) return queries;
      db = open(file);
      queries = prepareQueries(db);
      return queries;
    },
    close: () => void db?.close(),
  };
}
