import { isEnded, readEnding } from '../../core/ending.ts';
import { decodeEvents } from '../../core/events.ts';
import type { ThreadNo } from '../../core/ids.ts';
import { costOf, type RawThread } from '../rows.ts';
import type { CheckedDatabase } from './checked-database.ts';
import { admittedCost, checkLog, type LogCheck } from './check-logs.ts';
import { COUNTERS, differsFromRow } from './log-agrees.ts';
import { beginLog, takeEvent, type LogState } from './log-state.ts';

/**
 * Brings a thread's registry row to what its log says: status, counters, ending. A log that is broken itself, or whose end
 * is lost, is no ground to change anything on. Returns what was done.
 */
export function repairRow(database: CheckedDatabase, row: RawThread, { edges }: LogCheck): string | undefined {
  const breaches = [...checkLog(database, row, { edges })];
  if (breaches.some(({ invariant }) => invariant !== 'E5')) return undefined;
  const { state, time } = foldLog(database, row);
  if ([...differsFromRow(state, row)].length === 0 || !isWhole(state, row, database)) return undefined;
  const { turns, inputTokens, outputTokens, spend } = state.cost;
  const ending = isEnded(state.status) ? JSON.stringify(endingOf(state)) : null;
  const endedAt = ending === null ? null : time;
  const values = [state.status, state.suspendReason ?? null, keptEnding(row, state, ending), endedAt];
  database.db.prepare(UPDATE).run(...values, turns, inputTokens, outputTokens, spend, row.thread);
  return `its row says what its log says: ${state.status}, ${turns} turns`;
}

/** Whether the end of a log is there: an ending, or all that row and checkpoint know of. */
function isWhole({ status, cost, sequence }: LogState, row: RawThread, database: CheckedDatabase): boolean {
  if (isEnded(status)) return true;
  const stored = costOf(row);
  const isBehind = COUNTERS.every((key) => stored[key] <= cost[key]);
  return !isEnded(row.status) && isBehind && (database.checkpoint(row.thread)?.sequence ?? 0) <= sequence;
}

const UPDATE = `UPDATE threads SET status = ?, suspend_reason = ?, ending = ?, ended_at = COALESCE(ended_at, ?), turns = ?,
  input_tokens = ?, output_tokens = ?, spend = ? WHERE thread = ?`;

/** An ending that fits the log knows more than it: outputs that hooks changed, details of an error. */
function keptEnding(row: RawThread, { status, cost }: LogState, made: string | null): string | null {
  if (made === null || row.ending === null || row.status !== status) return made;
  // It was made by this package; where it can't be read, the check has said so.
  try {
    return JSON.stringify({ ...readEnding(row.ending), cost });
  } catch {
    return made;
  }
}

function endingOf({ status, outputs, text, error, cost }: LogState): object {
  return { status, outputs, text, error, cost };
}

/** A thread's log, folded to its end, and the time of its last event. */
function foldLog(database: CheckedDatabase, row: RawThread): { readonly state: LogState; readonly time: number } {
  const state = beginLog(admittedCost(database, row));
  let time = row.updated_at;
  for (const { lines } of database.chunks(row.thread)) {
    for (const event of decodeEvents(lines)) {
      takeEvent(state, event);
      time = event.time;
    }
  }
  return { state, time };
}

/** Numbers of threads by their ids. */
export function numberOf(database: CheckedDatabase, threadId: string): ThreadNo | undefined {
  return database.db
    .prepare<[string], ThreadNo>('SELECT thread FROM threads WHERE thread_id = ?')
    .pluck()
    .get(threadId);
}
