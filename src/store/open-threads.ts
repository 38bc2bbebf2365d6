import { isEnded, type ThreadStatus } from '../core/ending.ts';
import type { SuspendReason } from '../core/events.ts';
import type { ThreadNo } from '../core/ids.ts';
import { NO_COST, type Cost } from '../core/limits.ts';
import { createNumberedMap } from '../core/paged-map.ts';
import type { AdmitOp, StepOp, StoredCheckpoint } from '../core/store.ts';
import { toThreadRow, type RawThread } from './rows.ts';
import type { Statements } from './statements.ts';

/** What of a thread's row has changed: that it began to run, its counters, or its status with all that goes with it. */
type Unsaved = 'nothing' | 'start' | 'cost' | 'status';

/** What the write path knows about a thread that has not ended, and what of it is not written yet. */
export type OpenThread = {
  readonly thread: ThreadNo;
  status: ThreadStatus;
  suspendReason: SuspendReason | null;
  ending: string | null;
  cost: Cost;
  lastSequence: number;
  updatedAt: number;
  unsaved: Unsaved;
  checkpoint: StoredCheckpoint | undefined;
  /** Its row says why it is suspended. */
  isReasonStored: boolean;
  touched: boolean;
  /** It is one of those that are kept although they have not started. */
  isCounted: boolean;
};

/** Threads that have not started and are kept all the same, since most start in a moment. */
const MOST_CREATED = 4_000;

/**
 * The registry rows that are being worked on. A row is read when its thread is first touched, written at most once per
 * commit, and kept only while the thread runs, or is created and one of the first of those.
 */
export class OpenThreads {
  readonly #sql: Statements;
  #threads = createNumberedMap<OpenThread>();
  readonly #touched: OpenThread[] = [];
  /** How many of them have not started. */
  #created = 0;
  /** Created in this transaction, and not kept. */
  readonly #passing: ThreadNo[] = [];

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  /** Threads in memory. */
  get size(): number {
    return this.#threads.size();
  }

  /** The thread, or the status it ended with, or undefined if there is none of that number. */
  find(thread: ThreadNo): OpenThread | ThreadStatus | undefined {
    const known = this.#threads.get(thread);
    if (known) return isEnded(known.status) ? known.status : known;
    const raw = this.#sql.thread.get(thread);
    if (!raw || isEnded(raw.status)) return raw?.status;
    const found = this.#restore(raw);
    this.#threads.set(thread, found);
    this.#touch(found);
    return found;
  }

  /** Writes the row of a new thread; false, and nothing is written, if its number or id is taken. */
  add(op: AdmitOp): boolean {
    const { thread, threadId, root, directive, model, spec, at } = op;
    const parent = op.parent ?? null;
    const { changes } = this.#sql.insertThread.run(thread, threadId, parent, root, directive, model, spec, at, at);
    if (changes === 0) return false;
    if (this.#created >= MOST_CREATED) this.#passing.push(thread);
    else {
      this.#created++;
      this.#threads.set(thread, newThread(thread, at, true));
    }
    return true;
  }

  /** Takes over a step's status, cost and checkpoint; they are written by the next {@link OpenThreads.flush}. */
  apply(thread: OpenThread, op: StepOp): void {
    this.#touch(thread);
    if (op.lines !== '') thread.lastSequence = op.lastSequence;
    if (op.checkpoint) {
      const { turn, state } = op.checkpoint;
      thread.checkpoint = { turn, state, sequence: thread.lastSequence };
    }
    if (op.checkpoint || op.cost || op.status) thread.updatedAt = op.at;
    if (op.cost) {
      thread.cost = op.cost;
      thread.unsaved = also(thread.unsaved, 'cost');
    }
    if (op.status) {
      const isStart = thread.status === 'created' && op.status.to === 'running';
      thread.unsaved = also(thread.unsaved, isStart ? 'start' : 'status');
      thread.status = op.status.to;
      thread.suspendReason = op.status.to === 'suspended' ? op.status.reason : null;
      thread.ending = 'ending' in op.status ? op.status.ending : null;
      if (thread.isCounted) this.#created--;
      thread.isCounted = false;
    }
  }

  /** Writes what changed; `parked` is told of every thread that now leaves memory. */
  flush(parked: (thread: ThreadNo) => void): void {
    for (const thread of this.#touched) {
      thread.touched = false;
      this.#write(thread);
      if (thread.status === 'created' || thread.status === 'running') continue;
      this.#threads.delete(thread.thread);
      parked(thread.thread);
    }
    this.#touched.length = 0;
    for (const thread of this.#passing) if (!this.#threads.has(thread)) parked(thread);
    this.#passing.length = 0;
  }

  /** Forgets everything, changes included. */
  reset(): void {
    this.#threads = createNumberedMap();
    this.#touched.length = 0;
    this.#created = 0;
    this.#passing.length = 0;
  }

  #touch(thread: OpenThread): void {
    if (thread.touched) return;
    thread.touched = true;
    this.#touched.push(thread);
  }

  #restore(raw: RawThread): OpenThread {
    const { status, suspendReason, cost, updatedAt } = toThreadRow(raw);
    const lastSequence = this.#sql.lastSequence.get(raw.thread) ?? 0;
    const isReasonStored = suspendReason !== undefined;
    const restored = { status, suspendReason: suspendReason ?? null, cost, updatedAt, lastSequence, isReasonStored };
    return Object.assign(newThread(raw.thread, updatedAt, false), restored);
  }

  #write(row: OpenThread): void {
    const { thread, status, updatedAt, checkpoint } = row;
    const { turns, inputTokens, outputTokens, spend } = row.cost;
    if (row.unsaved === 'status') {
      const { suspendReason, ending } = row;
      const endedAt = isEnded(status) ? updatedAt : null;
      const { updateThread, updateStatus } = this.#sql;
      if (suspendReason === null && !row.isReasonStored)
        updateStatus.run(status, ending, endedAt, turns, inputTokens, outputTokens, spend, updatedAt, thread);
      else
        updateThread.run(
          status,
          suspendReason,
          ending,
          endedAt,
          turns,
          inputTokens,
          outputTokens,
          spend,
          updatedAt,
          thread,
        );
      row.isReasonStored = suspendReason !== null;
    } else if (row.unsaved === 'start') {
      this.#sql.startThread.run(updatedAt, thread);
    } else if (row.unsaved === 'cost') {
      this.#sql.updateCost.run(turns, inputTokens, outputTokens, spend, updatedAt, thread);
    }
    row.unsaved = 'nothing';
    if (!checkpoint) return;
    this.#sql.putCheckpoint.run(thread, checkpoint.sequence, checkpoint.turn, checkpoint.state, updatedAt);
    row.checkpoint = undefined;
  }
}

/** What has changed when one more thing has. */
function also(unsaved: Unsaved, change: Unsaved): Unsaved {
  return unsaved === 'nothing' || unsaved === change ? change : 'status';
}

/** One that has just been created. */
function newThread(thread: ThreadNo, at: number, isCounted: boolean): OpenThread {
  return {
    thread,
    status: 'created',
    suspendReason: null,
    ending: null,
    cost: NO_COST,
    lastSequence: 0,
    updatedAt: at,
    unsaved: 'nothing',
    checkpoint: undefined,
    isReasonStored: false,
    touched: false,
    isCounted,
  };
}
