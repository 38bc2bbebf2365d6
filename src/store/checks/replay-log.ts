import { SkeinError } from '../../core/errors.ts';
import { firstLines } from '../../core/events.ts';
import type { Finding } from '../../core/finding.ts';
import type { Connection } from '../connection.ts';
import { THREAD_COLUMNS, toThreadRow, type RawThread } from '../rows.ts';
import type { ThreadRow } from '../../core/store.ts';
import { threadNotFound } from '../../core/thread-not-found.ts';
import { openChecked } from '../reader.ts';
import { withBoth } from './both-databases.ts';
import { checkedDatabase, type CheckedDatabase } from './checked-database.ts';
import { admittedCost, checkLog, readChunk } from './check-logs.ts';
import type { LegalEdges } from './log-rules.ts';
import { beginLog, takeEvent, type LogState } from './log-state.ts';

/** Up to which event which log is folded; without `to` all of it. */
export type FoldOrder = { readonly id: string; readonly to: number | undefined; readonly edges: LegalEdges };

/** A log folded up to an event. */
export type Replayed = {
  readonly row: ThreadRow;
  readonly state: LogState;
  /** The events it was folded from, as JSON lines. */
  readonly lines: string;
  readonly lastSequence: number;
  /** What breaks an invariant up to there, or differs from what is stored of that very event. */
  readonly differences: readonly Finding[];
  /** Event of the checkpoint, if there is one. */
  readonly checkpoint: number | undefined;
};

/**
 * Folds the log of a stored thread and compares it with its checkpoint, and with its registry row if all of it is folded.
 *
 * @throws SkeinError `thread_not_found`, `invalid_argument`: the log has no such event; `store_failed`, `store_corrupt`
 */
export function replayLog(path: string, order: FoldOrder): Replayed {
  return withBoth(path, openChecked, (db, archive) => {
    // Whatever a runtime writes meanwhile, log and row are of one moment.
    return db.transaction(() => {
      const found = (archive && find(archive, db, order.id)) ?? find(db, archive, order.id);
      if (!found) throw threadNotFound(order.id);
      return replayFound(found, order);
    })();
  });
}

type Found = { readonly database: CheckedDatabase; readonly raw: RawThread };

/** One that is in the archive is there as a whole. */
function find(db: Connection, other: Connection | undefined, id: string): Found | undefined {
  const raw = db.prepare<[string], RawThread>(`SELECT ${THREAD_COLUMNS} FROM threads WHERE thread_id = ?`).get(id);
  return raw && { raw, database: checkedDatabase(db, { other }) };
}

function replayFound({ database, raw }: Found, { id, to, edges }: FoldOrder): Replayed {
  const folded = fold(database, raw, to ?? Infinity);
  if (to !== undefined && to > folded.lastSequence) {
    throw new SkeinError(
      'invalid_argument',
      `The log of ${id} ends with event ${folded.lastSequence}: there is no ${to}`,
    );
  }
  const isWhole = folded.state.sequence === folded.lastSequence;
  const differences = [...checkLog(database, raw, { edges })]
    .filter(({ sequence }) => (sequence === undefined ? isWhole : sequence <= (to ?? Infinity)))
    .map((breach): Finding => ({ ...breach, threadId: raw.thread_id }));
  const checkpoint = database.checkpoint(raw.thread)?.sequence;
  return { row: toThreadRow(raw), ...folded, differences, checkpoint };
}

/** Up to the event that was asked for, or to where the log can't be read: the check of it says so. */
function fold(
  database: CheckedDatabase,
  raw: RawThread,
  to: number,
): Pick<Replayed, 'state' | 'lines' | 'lastSequence'> {
  const state = beginLog(admittedCost(database, raw));
  let lines = '';
  let lastSequence = 0;
  let isDamaged = false;
  for (const chunk of database.chunks(raw.thread)) {
    lastSequence = chunk.last_sequence;
    if (isDamaged || chunk.first_sequence > to) continue;
    const read = readChunk(chunk);
    isDamaged = 'invariant' in read;
    if ('invariant' in read) continue;
    const events = read.filter(({ sequence }) => sequence <= to);
    for (const event of events) takeEvent(state, event);
    lines += chunk.last_sequence <= to ? chunk.lines : firstLines(chunk.lines, events.length);
  }
  return { state, lines, lastSequence };
}
