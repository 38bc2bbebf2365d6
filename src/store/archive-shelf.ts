import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Connection } from './connection.ts';
import { prepareQueries, type Queries } from './queries.ts';
import { naming } from './sqlite-failure.ts';

/** The archive beside a database. */
export function archivePath(path: string): string {
  return join(dirname(path), 'archive.db');
}

/** Asks the archive; undefined: there is none. @throws SkeinError that names it: its database has no part in that */
export type AskArchive = <Answer>(question: (archive: Queries) => Answer) => Answer | undefined;

/** The archive of a project as its readers see it. */
export interface ArchiveShelf {
  readonly ask: AskArchive;
  close(): void;
}

/** Opens the archive when it is first needed and there: a runtime may begin one while others read. */
export function createArchiveShelf(path: string, open: (file: string) => Connection): ArchiveShelf {
  const file = archivePath(path);
  let db: Connection | undefined;
  let queries: Queries | undefined;
  return {
    ask(question) {
      if (!queries && !existsSync(file)) return undefined;
      return naming(file, () => {
        db ??= open(file);
        queries ??= prepareQueries(db);
        return question(queries);
      });
    },
    close: () => void db?.close(),
  };
}
