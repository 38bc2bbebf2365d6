import type { ThreadNo } from '../core/ids.ts';
import { archivePath } from './archive-shelf.ts';
import { openArchive } from './archive.ts';
import { type ArchivePass, createArchivePass } from './archive-pass.ts';
import type { Connection } from './connection.ts';
import type { StoreTables } from './schema.ts';
import { vacuumSlice } from './vacuum.ts';

/** `cleanup` of resilience.yaml; 0 = never. */
export type CleanupSettings = { readonly archiveAfterDays: number; readonly vacuumIntervalDays: number };

/** What the upkeep of a store works with. */
export type UpkeepOptions = {
  readonly db: Connection;
  readonly tables: StoreTables;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly cleanup: CleanupSettings;
  /** Told of a thread that is about to leave the database for the archive. */
  readonly leaves?: (thread: ThreadNo) => void;
};

/** What a store does for itself in quiet moments. */
export interface Upkeep {
  /** Does one slice of what is due, some milliseconds; false if nothing is. */
  slice(): boolean;
  close(): void;
}

const DAY_MS = 86_400_000;

/** Days between two looks for old trees. */
const ARCHIVE_EVERY_DAYS = 1;

type Work = 'archive' | 'vacuum';

/** Archives what is old, then vacuums, each as often as it is due; when that was is kept in the database. */
export function createUpkeep({ db, tables, now, cleanup, leaves }: UpkeepOptions): Upkeep {
  const { archiveAfterDays, vacuumIntervalDays } = cleanup;
  const select = db.prepare<[Work], number>('SELECT done_at FROM upkeep WHERE work = ?').pluck();
  const record = db.prepare<[Work, number]>('INSERT OR REPLACE INTO upkeep (work, done_at) VALUES (?, ?)');
  const everyDays = { archive: archiveAfterDays > 0 ? ARCHIVE_EVERY_DAYS : 0, vacuum: vacuumIntervalDays };
  const doneAt = new Map<Work, number>();
  let pass: ArchivePass | undefined;

  const isDue = (work: Work): boolean => {
    if (everyDays[work] <= 0) return false;
    const last = doneAt.get(work) ?? select.get(work) ?? -Infinity;
    doneAt.set(work, last);
    // A time that has not come yet is that of a clock that was ahead.
    return now() < last || now() >= last + everyDays[work] * DAY_MS;
  };
  const done = (work: Work): void => {
    record.run(work, now());
    doneAt.delete(work);
  };
  const archive = (): void => {
    const open = () => openArchive(archivePath(db.name), db.name, tables);
    pass ??= createArchivePass({ db, open, cutoff: now() - archiveAfterDays * DAY_MS, leaves });
    if (!pass.slice()) return;
    pass.close();
    pass = undefined;
    done('archive');
  };
  return {
    slice() {
      if (pass || isDue('archive')) archive();
      else if (isDue('vacuum')) {
        if (vacuumSlice(db)) done('vacuum');
      } else return false;
      return true;
    },
    close: () => pass?.close(),
  };
}
