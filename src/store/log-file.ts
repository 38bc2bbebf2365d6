import { closeKeepingLog, LONG_LOG_PAGES, type Connection } from './connection.ts';
import { isUnwritten } from './sqlite-failure.ts';

/** The log of a writer's own database, not of those that it has attached. Nothing copies it into the database but this: SQLite would not say that it failed. */
export interface LogFile {
  /** Copies it; `TRUNCATE` also waits for those who read, and empties the file. @throws SQLite, and nothing may be written then */
  copy(how?: 'PASSIVE' | 'TRUNCATE'): void;
  /** Copies it once it is long: between transactions that leave no quiet moment. @throws as `copy` */
  keepShort(): void;
  /** Does what writes to the database. @throws what it throws */
  write<T>(work: () => T): T;
  /** Closes the connection, which leaves a log that could not be copied or written to the next open. */
  close(): void;
}

type Pages = { readonly log: number; readonly checkpointed: number };

/** Looks after the log of a connection of `openWriter`. */
export function createLogFile(db: Connection): LogFile {
  const pages = db.prepare<[], Pages>('PRAGMA main.wal_checkpoint(NOOP)');
  let failed = false;
  const copy: LogFile['copy'] = (how = 'PASSIVE') => {
    try {
      db.pragma(`main.wal_checkpoint(${how})`);
    } catch (error) {
      failed = true;
      throw error;
    }
  };
  return {
    copy,
    keepShort() {
      const { log, checkpointed } = pages.get() ?? { log: 0, checkpointed: 0 };
      if (log - checkpointed >= LONG_LOG_PAGES) copy();
    },
    write(work) {
      try {
        return work();
      } catch (error) {
        failed ||= isUnwritten(error);
        throw error;
      }
    },
    close() {
      if (failed) closeKeepingLog(db);
      else db.close();
    },
  };
}
