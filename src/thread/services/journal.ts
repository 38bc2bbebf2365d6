import type { Schedule } from '../../core/batched-port.ts';
import type { Clock } from '../../core/clock.ts';
import type { Failure } from '../../core/errors.ts';
import { encodeEvent, encodeLine, type EventPayloads, type EventType } from '../../core/events.ts';
import type { ThreadNo } from '../../core/ids.ts';
import type { NanoUsd } from '../../core/money.ts';
import { ownPayload } from '../../core/own-payload.ts';
import type { EventsReport, WorkerReport } from '../../core/protocol.ts';
import type { ApprovalRequest } from '../../core/store-approvals.ts';
import { failureIn, type ContinueOp, type StatusChange, type StepOp, type StoreResult } from '../../core/store.ts';
import type { StoreClient } from '../../core/store-client.ts';
import { checkpointState } from '../conversation/checkpoint.ts';
import { costOf } from '../cost.ts';
import type { Counters } from './counters.ts';
import type { EventPolicy } from './event-policies.ts';
import type { Thread } from '../thread.ts';

/** What a hook emits. */
export type EmittedEvent = {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Stored also if its type is only shown otherwise. */
  readonly mustStore: boolean;
};

/** What a step carries beside the events recorded since the last one. */
export type StepParts = {
  readonly reserve?: NanoUsd;
  readonly status?: StatusChange;
  /** With a suspension that waits for a person. */
  readonly request?: ApprovalRequest;
};

/** The last step of a thread that hands over, and the row of the thread that takes over. */
export type HandOverParts = { readonly ending: string; readonly successor: ContinueOp['successor'] };

/**
 * Called after the commit. `last`: events of a step with which the thread leaves its worker, which are for whoever calls this to
 * tell together with that.
 */
export type Committed = (result: StoreResult, last?: EventsReport) => void;

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
  /** Records what a hook emits: a payload that is known to fit, of a type that `events.yaml` declares. */
  recordEmitted(thread: Thread, event: EmittedEvent): void;
  /** Sends what was recorded, the settlement and the checkpoint that are due, and `parts`; `done` after the commit. */
  commit(thread: Thread, parts: StepParts, done: Committed): void;
  /** Sends the last step together with the successor's row: both are applied or neither. */
  handOver(thread: Thread, parts: HandOverParts, done: Committed): void;
  /** Commits what was recorded at the end of this tick: for a thread that waits and has no step of its own soon. */
  flushSoon(thread: Thread): void;
  watch(threads: readonly ThreadNo[] | 'all', on: boolean): void;
  isWatched(thread: Thread): boolean;
  /** The same journal for threads whose events are handled otherwise: watchers and all else are shared. */
  handling(events: EventHandling): Journal;
  /** The thread has left this worker: nobody watches it here any more. */
  forget(thread: ThreadNo): void;
}

/** How events are handled: as one version of the config says. */
export type EventHandling = {
  readonly policies: ReadonlyMap<string, EventPolicy>;
  /** Looks at every payload the runtime records, if that is asked for; a failure ends the thread. */
  readonly check: ((type: string, payload: unknown) => Failure | undefined) | undefined;
};

/** What the journal needs. */
export type JournalOptions = EventHandling & {
  readonly store: StoreClient;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly counters: Counters;
  readonly report: (report: WorkerReport) => void;
  /** The store can no longer be relied on. */
  readonly fatal: (failure: Failure) => void;
};

/** Makes a worker's journal. */
export function createJournal(options: JournalOptions): Journal {
  const { store, clock, schedule, report, fatal } = options;
  const watched = new Set<ThreadNo>();
  let watchAll = false;
  const isWatched = (thread: Thread): boolean => watchAll || watched.has(thread.lineage.thread);

  const recordWith = createRecorder({ ...options, isWatched });

  /** Nothing of a step is held but what those are told who watch by now: thousands may wait for the store. */
  const applied = (thread: Thread, op: StepOp, done: Committed) => {
    const { firstSequence: first } = op;
    const lines = isWatched(thread) ? op.lines : undefined;
    const isLast = leavesWorker(op);
    return (result: StoreResult) => {
      const failure = failureIn(result);
      if (failure) return fatal(failure);
      const told = first > 0 && isWatched(thread) ? storedEvents(thread.lineage.thread, first, lines) : undefined;
      if (told && !isLast) report(told);
      done(result, isLast ? told : undefined);
    };
  };

  const journal: Journal = {
    ...recordWith(options),
    commit(thread, parts, done) {
      const op = takeStep(thread, parts, clock.now());
      store.submit(op, applied(thread, op, done));
    },
    handOver(thread, { ending, successor }, done) {
      const end = takeStep(thread, { status: { to: 'continued', ending } }, clock.now());
      store.submit({ type: 'continue', end, successor }, applied(thread, end, done));
    },
    flushSoon: createFlush(schedule, (thread) => journal.commit(thread, {}, () => undefined)),
    watch(threads, on) {
      if (threads === 'all') watchAll = on;
      else if (on) for (const thread of threads) watched.add(thread);
      else for (const thread of threads) watched.delete(thread);
    },
    isWatched,
    handling: (events) => ({ ...journal, ...recordWith(events) }),
    forget: (thread) => void watched.delete(thread),
  };
  return journal;
}

/**
 * Commits at the end of the tick for all threads that ask for it, in one go: nearly all have committed by then, since their
 * next step came first.
 */
function createFlush(schedule: Schedule, commit: (thread: Thread) => void): Journal['flushSoon'] {
  let due: Thread[] = [];
  let next = 0;
  const flush = (): void => {
    try {
      for (let thread = due[next++]; thread; thread = due[next++])
        if (!thread.ended && thread.lines !== '') commit(thread);
      due = [];
      next = 0;
    } finally {
      // One that throws takes no other with it.
      if (due.length > 0) schedule(flush);
    }
  };
  return (thread) => {
    if (due.length === 0) schedule(flush);
    due.push(thread);
  };
}

/** Makes the recording part of a journal, for any handling of events. */
function createRecorder({
  clock,
  counters,
  report,
  isWatched,
}: JournalOptions & Pick<Journal, 'isWatched'>): (
  handling: EventHandling,
) => Pick<Journal, 'record' | 'recordEmitted'> {
  const refuse = createRefusal(report);
  // Not thrown: whoever records may be in the middle of something, and the event itself is not to be lost.
  const punish = (thread: Thread, failure: Failure): void => {
    report({ type: 'problem', failure });
    thread.send({ type: 'FAIL', failure });
  };
  const keep = (thread: Thread, type: string, payload: string): void => {
    if (thread.ended) return refuse(thread, type);
    counters.events++;
    thread.lines += encodeLine({ sequence: ++thread.sequence, event_type: type, time: clock.now() }, payload);
  };
  const show = (thread: Thread, type: string, payload: object): void => {
    if (thread.ended) return refuse(thread, type);
    if (!isWatched(thread)) return;
    counters.events++;
    const lines = encodeEvent({ sequence: 0, event_type: type, time: clock.now(), payload });
    report({ type: 'events', thread: thread.lineage.thread, lines, stored: false });
  };
  return ({ policies, check }: EventHandling): Pick<Journal, 'record' | 'recordEmitted'> => {
    const isLive = (type: string): boolean => policies.get(type)?.live ?? false;
    return {
      record(thread, type, payload) {
        if (isLive(type)) show(thread, type, payload);
        else keep(thread, type, ownPayload(type, payload));
        const failure = check?.(type, payload);
        if (failure && !thread.ended) punish(thread, failure);
      },
      recordEmitted(thread, { type, payload, mustStore }) {
        if (isLive(type) && !mustStore) show(thread, type, payload);
        else keep(thread, type, JSON.stringify(payload));
      },
    };
  };
}

/** Tells the host of what comes after an end, once a thread. */
function createRefusal(report: JournalOptions['report']): (thread: Thread, type: string) => void {
  const refused = new WeakSet<Thread>();
  return (thread, type) => {
    if (refused.has(thread)) return;
    refused.add(thread);
    report({ type: 'problem', failure: lateEvent(thread, type) });
  };
}

function lateEvent({ lineage }: Thread, type: string): Failure {
  const message = `Thread ${lineage.threadId} has ended: nothing may follow in its log, and ${type} was refused`;
  return { code: 'thread_ended', message };
}

function storedEvents(thread: ThreadNo, first: number, lines: string | undefined): EventsReport {
  return lines === undefined ? { type: 'stored', thread, first } : { type: 'events', thread, lines, stored: true };
}

function leavesWorker({ status }: StepOp): boolean {
  return status !== undefined && status.to !== 'running';
}

/** An ended thread needs no checkpoint. */
function isOpen({ status }: StepParts): boolean {
  return status === undefined || status.to === 'running' || status.to === 'suspended';
}

const RUNNING: StatusChange = { to: 'running' };

/** Cuts what is pending out of the thread. Every step has the same fields, in the same order: it is made once a turn. */
function takeStep(thread: Thread, parts: StepParts, at: number): StepOp {
  const hasLines = thread.lines !== '';
  const withCheckpoint = thread.checkpointDue && isOpen(parts);
  // Counters and money must never disagree after a crash: a settlement takes them along, checkpoint or not.
  const withCost = withCheckpoint || thread.settlement !== undefined || parts.status !== undefined;
  const op: StepOp = {
    type: 'step',
    thread: thread.lineage.thread,
    at,
    lines: thread.lines,
    firstSequence: hasLines ? thread.firstSequence : 0,
    lastSequence: hasLines ? thread.sequence : 0,
    settle: thread.settlement,
    reserve: parts.reserve,
    checkpoint: withCheckpoint ? { turn: thread.turns, state: checkpointState(thread, at) } : undefined,
    cost: withCost ? costOf(thread) : undefined,
    status: parts.status ?? (thread.startDue ? RUNNING : undefined),
    request: parts.request,
  };
  thread.lines = '';
  thread.firstSequence = thread.sequence + 1;
  thread.settlement = undefined;
  thread.checkpointDue = false;
  thread.startDue = false;
  return op;
}
