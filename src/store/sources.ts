import { isEnded } from '../core/ending.ts';
import type { ThreadNo } from '../core/ids.ts';
import type { ThreadRow } from '../core/store.ts';
import { createArchiveShelf } from './archive-shelf.ts';
import type { Connection } from './connection.ts';
import { prepareQueries, type Queries } from './queries.ts';
import { toThreadRow } from './rows.ts';

/** A database and its archive, of which each thread is in one, or in both and the same. */
export type Sources = {
  readonly live: Queries;
  /** The archive, once there is one. */
  readonly archive: () => Queries | undefined;
  /** Where all of a thread's rows are: the archive, if its row is there, since what is left here may be on its way out. */
  readonly holder: (thread: ThreadNo) => Queries;
  /** What the database knows, else the archive. For single rows, which are there as a whole or not at all. */
  readonly either: <Row>(find: (queries: Queries) => Row | undefined) => Row | undefined;
  readonly byNo: (thread: ThreadNo) => ThreadRow | undefined;
  /** Closes the archive. */
  readonly close: () => void;
};

/** Prepares the queries of a database; `open` opens its archive when it is first needed. */
export function createSources(db: Connection, open: (file: string) => Connection): Sources {
  const live = prepareQueries(db);
  const shelf = createArchiveShelf(db.name, open);
  const archive = (): Queries | undefined => shelf.queries();
  const either: Sources['either'] = (find) => {
    const found = find(live);
    const old = found === undefined ? archive() : undefined;
    return old ? find(old) : found;
  };
  return {
    live,
    archive,
    holder(thread) {
      const row = live.byNo.get(thread);
      if (row && !isEnded(row.status)) return live;
      const old = archive();
      return old?.byNo.get(thread) ? old : live;
    },
    either,
    byNo: (thread) => {
      const raw = either((from) => from.byNo.get(thread));
      return optional(raw, toThreadRow);
    },
    close: () => shelf.close(),
  };
}

/** Converts what was found. */
export function optional<Raw, Row>(raw: Raw | undefined, convert: (raw: Raw) => Row): Row | undefined {
  return raw === undefined ? undefined : convert(raw);
}
