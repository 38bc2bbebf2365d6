import { messageOf } from '../../core/errors.ts';
import { decodeEvents, type StoredEvent } from '../../core/events.ts';
import type { Finding } from '../../core/finding.ts';
import { NO_COST, type Cost } from '../../core/limits.ts';
import { costOf, type RawThread } from '../rows.ts';
import type { CheckedDatabase, RawChunk } from './checked-database.ts';
import { agreesWithCheckpoint, differsFromRow } from './log-agrees.ts';
import { breachesAtEnd, breachesOf, type Breach, type LegalEdges } from './log-rules.ts';
import { beginLog, takeEvent } from './log-state.ts';
import { storedSecrets, type Secrets } from './secrets.ts';

/** What logs are checked with. */
export type LogCheck = { readonly edges: LegalEdges; readonly secrets?: Secrets | undefined };

/**
 * Reads every log once, event by event (E2, E3, E4, E5, M1, and E6 of what is in events): a thread costs what its own log
 * costs, and nothing is kept of it.
 */
export function* checkLogs(database: CheckedDatabase, check: LogCheck): Generator<Finding> {
  for (const row of database.threads()) {
    for (const breach of checkLog(database, row, check)) yield { ...breach, threadId: row.thread_id };
  }
}

/** What is wrong with one thread's log. */
export function* checkLog(database: CheckedDatabase, row: RawThread, check: LogCheck): Generator<Breach> {
  const state = beginLog(admittedCost(database, row));
  const checkpoint = database.checkpoint(row.thread);
  yield* agreesWithCheckpoint(state, checkpoint);
  for (const chunk of database.chunks(row.thread)) {
    yield* storedSecrets(chunk.lines, check.secrets);
    const events = readChunk(chunk);
    if ('invariant' in events) return yield events;
    yield* placeBreaches(chunk, events);
    for (const event of events) {
      yield* breachesOf(state, event, check.edges);
      takeEvent(state, event);
      if (state.sequence === checkpoint?.sequence) yield* agreesWithCheckpoint(state, checkpoint);
    }
  }
  yield* breachesAtEnd(state);
  yield* differsFromRow(state, row);
  if (checkpoint && checkpoint.sequence > state.sequence) {
    const message = `its checkpoint is of event ${checkpoint.sequence}, and its log ends with ${state.sequence}`;
    yield { invariant: 'E5', message };
  }
}

/** What a thread had cost when it was admitted: that of the one which handed over to it. */
export function admittedCost(database: Pick<CheckedDatabase, 'thread'>, { predecessor }: RawThread): Cost {
  const before = predecessor === null ? undefined : database.thread(predecessor);
  return before?.status === 'continued' ? costOf(before) : NO_COST;
}

/** The events of a chunk, or that they can't be read. */
export function readChunk({ first_sequence: sequence, lines }: RawChunk): readonly StoredEvent[] | Breach {
  try {
    return decodeEvents(lines);
  } catch (error) {
    const reason = messageOf(error);
    return { invariant: 'E2', sequence, message: `its events from ${sequence} on can't be read: ${reason}` };
  }
}

/** A chunk says which numbers are in it. */
function* placeBreaches({ first_sequence: first, last_sequence: last }: RawChunk, events: readonly StoredEvent[]) {
  const found = [events[0]?.sequence, events.at(-1)?.sequence];
  if (found[0] === first && found[1] === last) return;
  const message = `a row of events says ${first} to ${last} and holds ${found[0]} to ${found[1]}`;
  yield { invariant: 'E2', sequence: first, message } satisfies Breach;
}
