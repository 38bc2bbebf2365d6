import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { CollectedGarbage } from '../core/collected-garbage.ts';
import type { Failure } from '../core/errors.ts';
import type { ThreadNo } from '../core/ids.ts';
import { archivePath } from './archive-shelf.ts';
import { openArchive } from './archive.ts';
import { createArchivePass } from './archive-pass.ts';
import { openWriter, type Connection } from './connection.ts';
import { lockProject } from './lock.ts';
import { createLogFile } from './log-file.ts';
import { openReader } from './reader.ts';
import type { StoreTables } from './schema.ts';
import { sqliteFailure } from './sqlite-failure.ts';
import { createStateFiles } from './state-files.ts';
import { isOlder, upgradeStore } from './upgrade.ts';
import { vacuumSlice } from './vacuum.ts';

/** What is collected, and how. */
export type GarbageOptions = {
  readonly path: string;
  readonly tables: StoreTables;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** 0 = nothing is archived. */
  readonly archiveAfterDays: number;
  /** Told of what is left behind, such as a file that could not be removed. */
  readonly problem: (failure: Failure) => void;
};

const DAY_MS = 86_400_000;

/**
 * Archives what is old and gives free space back, all of it now, in slices; holds the project's lock meanwhile. What is cut
 * short is finished by the next one, or by a runtime.
 *
 * @throws SkeinError `project_locked`: a runtime holds the project, and does this when it is idle; `store_failed`,
 * `store_corrupt`, `schema_too_new`
 */
export async function collectGarbage(options: GarbageOptions): Promise<CollectedGarbage> {
  const { path } = options;
  // Refuses what is none of ours.
  if (isOlder(path)) upgradeStore(path, options.tables);
  openReader(path).close();
  const lock = lockProject(dirname(path));
  try {
    const db = openWriter(path);
    const log = createLogFile(db);
    const all: Slices = async (slice) => {
      while (!log.write(slice)) {
        log.keepShort();
        await setImmediate();
      }
    };
    try {
      const collected = await collect(db, all, options);
      log.copy('TRUNCATE');
      return collected;
    } finally {
      log.close();
    }
  } catch (error) {
    throw sqliteFailure(error, path);
  } finally {
    lock.release();
  }
}

/** Does one slice after the other until it says that it was the last. */
type Slices = (slice: () => boolean) => Promise<void>;

async function collect(db: Connection, all: Slices, options: GarbageOptions): Promise<CollectedGarbage> {
  const before = pageBytes(db);
  const archived = options.archiveAfterDays > 0 ? await archive(db, all, options) : 0;
  await all(() => vacuumSlice(db));
  return { archived, freedBytes: Math.max(0, before - pageBytes(db)) };
}

async function archive(
  db: Connection,
  all: Slices,
  { path, tables, now, archiveAfterDays, problem }: GarbageOptions,
): Promise<number> {
  const files = createStateFiles({ db, folder: dirname(path), problem });
  let archived = 0;
  const leaves = (thread: ThreadNo): void => {
    archived++;
    files.remove(thread);
  };
  const open = () => openArchive(archivePath(path), path, tables);
  const pass = createArchivePass({ db, open, cutoff: now - archiveAfterDays * DAY_MS, leaves });
  try {
    await all(() => pass.slice());
    return archived;
  } finally {
    pass.close();
    files.close();
  }
}

function pageBytes(db: Connection): number {
  return Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));
}
