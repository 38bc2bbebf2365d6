import type { Schedule } from '../core/batched-port.ts';
import type { Clock } from '../core/clock.ts';
import type { Failure } from '../core/errors.ts';
import { encodeEvent, type Criticality, type EventPayloads, type EventType } from '../core/events.ts';
import type { ThreadNo } from '../core/ids.ts';
import type { NanoUsd } from '../core/money.ts';
import type { WorkerReport } from '../core/protocol.ts';
import type { StatusChange, StepOp, StoreResult } from '../core/store.ts';
import type { StoreClient } from '../core/store-client.ts';
import { checkpointState } from './checkpoint.ts';
import { costOf } from './cost.ts';
import type { Counters } from './counters.ts';
import type { Thread } from './thread.ts';

/** What a step carries beside the events recorded since the last one. */
export type StepParts = { readonly reserve?: NanoUsd; readonly status?: StatusChange };

/** How an event type is handled: `live` events are only shown to watchers, never stored. */
export type EventPolicy = { readonly criticality: Criticality; readonly live: boolean };

/**
 * A worker's way to the log. Events are encoded once, collected in the thread, and sent to the store with the step they
 * belong to; watchers see them after the commit.
 */
export interface Journal {
  /**
   * Records an event. One for a thread that has ended is refused, since nothing follows a terminal event; the host is
   * told so, once a thread (contracts, "States"). What the runtime itself does after an end records nothing.
   */
  record<Type extends EventType>(thread: Thread, type: Type, payload: EventPayloads[Type]): void;
  /** Sends what was recorded, the settlement and the checkpoint that are due, and `parts`; `done` after the commit. */
  commit(thread: Thread, parts: StepParts, done: (result: StoreResult) => void): void;
  /** Commits what was recorded at the end of this tick: for a thread that waits and has no step of its own soon. */
  flushSoon(thread: Thread): void;
  watch(threads: readonly ThreadNo[] | 'all', on: boolean): void;
  isWatched(thread: Thread): boolean;
  /** The same journal for threads whose events are handled otherwise: watchers and all else are shared. */
  withPolicies(policies: ReadonlyMap<string, EventPolicy>): Journal;
  /** The thread has left this worker: nobody watches it here any more. */
  forget(thread: ThreadNo): void;
}

/** What the journal needs. */
export type JournalOptions = {
  readonly store: StoreClient;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly counters: Counters;
  readonly policies: ReadonlyMap<string, EventPolicy>;
  readonly report: (report: WorkerReport) => void;
  /** The store can no longer be relied on. */
  readonly fatal: (failure: Failure) => void;
};

/** Makes a worker's journal. */
export function createJournal({ store, clock, schedule, counters, policies, report, fatal }: JournalOptions): Journal {
  const watched = new Set<ThreadNo>();
  let watchAll = false;
  const refused = new WeakSet<Thread>();
  const refuse = (thread: Thread, type: EventType): void => {
    if (refused.has(thread)) return;
    refused.add(thread);
    report({ type: 'problem', failure: lateEvent(thread, type) });
  };
  const isWatched = (thread: Thread): boolean => watchAll || watched.has(thread.lineage.thread);

  const recordWith =
    (handled: ReadonlyMap<string, EventPolicy>): Journal['record'] =>
    (thread, type, payload) => {
      if (thread.ended) return refuse(thread, type);
      const live = handled.get(type)?.live ?? false;
      if (live && !isWatched(thread)) return;
      counters.events++;
      const sequence = live ? 0 : ++thread.sequence;
      const line = encodeEvent({ sequence, event_type: type, time: clock.now(), payload });
      if (live) report({ type: 'events', thread: thread.lineage.thread, lines: line, stored: false });
      else thread.lines += line;
    };

  const journal: Journal = {
    record: recordWith(policies),
    commit(thread, parts, done) {
      const op = takeStep(thread, parts, clock.now());
      store.submit(op, (result) => {
        if (result !== true && result.type === 'failed') return fatal(result.failure);
        if (op.lines !== '' && isWatched(thread)) {
          report({ type: 'events', thread: op.thread, lines: op.lines, stored: true });
        }
        done(result);
      });
    },
    flushSoon(thread) {
      if (thread.flushScheduled) return;
      thread.flushScheduled = true;
      schedule(() => {
        thread.flushScheduled = false;
        if (!thread.ended && thread.lines !== '') this.commit(thread, {}, () => undefined);
      });
    },
    watch(threads, on) {
      if (threads === 'all') watchAll = on;
      else if (on) for (const thread of threads) watched.add(thread);
      else for (const thread of threads) watched.delete(thread);
    },
    isWatched,
    withPolicies: (handled) => ({ ...journal, record: recordWith(handled) }),
    forget: (thread) => void watched.delete(thread),
  };
  return journal;
}

function lateEvent({ lineage }: Thread, type: EventType): Failure {
  const message = `Thread ${lineage.threadId} has ended: nothing may follow in its log, and ${type} was refused`;
  return { code: 'thread_ended', message };
}

/** An ended thread needs no checkpoint. */
function isOpen({ status }: StepParts): boolean {
  return status === undefined || status.to === 'running' || status.to === 'suspended';
}

/** Cuts what is pending out of the thread. */
function takeStep(thread: Thread, parts: StepParts, at: number): StepOp {
  const hasLines = thread.lines !== '';
  // Counters and money must never disagree after a crash: a settlement takes its checkpoint along.
  const withCheckpoint = thread.checkpointDue || (thread.settlement !== undefined && isOpen(parts));
  const withState = withCheckpoint || parts.status !== undefined;
  const op: StepOp = {
    type: 'step',
    thread: thread.lineage.thread,
    at,
    lines: thread.lines,
    firstSequence: hasLines ? thread.firstSequence : 0,
    lastSequence: hasLines ? thread.sequence : 0,
    ...(thread.settlement && { settle: thread.settlement }),
    ...(withCheckpoint && { checkpoint: { turn: thread.turns, state: checkpointState(thread, at) } }),
    ...(withState && { cost: costOf(thread) }),
    ...(thread.startDue && { status: { to: 'running' } as const }),
    ...parts,
  };
  thread.lines = '';
  thread.firstSequence = thread.sequence + 1;
  thread.settlement = undefined;
  thread.checkpointDue = false;
  thread.startDue = false;
  return op;
}
