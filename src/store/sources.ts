import { isEnded } from '../core/ending.ts';
import type { ThreadNo } from '../core/ids.ts';
import type { ThreadRow } from '../core/store.ts';
import { createArchiveShelf, type AskArchive } from './archive-shelf.ts';
import type { Connection } from './connection.ts';
import { prepareQueries, type Queries } from './queries.ts';
import { toLinkedRow } from './rows.ts';

/** A database and its archive, of which each thread is in one, or in both and the same. */
export type Sources = {
  readonly live: Queries;
  readonly archive: AskArchive;
  /** Asks where all of a thread's rows are: the archive, if its row is there, since what is left here may be on its way out. */
  readonly holder: <Answer>(thread: ThreadNo, question: (queries: Queries) => Answer) => Answer;
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
  const archive = shelf.ask;
  const either: Sources['either'] = (find) => {
    const found = find(live);
    return found === undefined ? archive(find) : found;
  };
  return {
    live,
    archive,
    holder(thread, question) {
      const row = live.byNo.get(thread);
      if (row && !isEnded(row.status)) return question(live);
      const old = archive((from) => from.byNo.get(thread) && { answer: question(from) });
      return old ? old.answer : question(live);
    },
    either,
    byNo: (thread) => {
      const raw = either((from) => from.byNo.get(thread));
      return optional(raw, toLinkedRow);
    },
    close: () => shelf.close(),
  };
}

/** Converts what was found. */
export function optional<Raw, Row>(raw: Raw | undefined, convert: (raw: Raw) => Row): Row | undefined {
  return raw === undefined ? undefined : convert(raw);
}
