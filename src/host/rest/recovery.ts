import type { Timer } from '../../core/clock.ts';
import { toFailure, type Failure } from '../../core/errors.ts';
import type { ThreadId, ThreadNo } from '../../core/ids.ts';
import { attempt } from '../../core/result.ts';
import type { ForeignThreads, ThreadRow } from '../../core/store.ts';
import type { Surroundings } from '../../core/surroundings.ts';
import { findEntry } from './find-entry.ts';
import type { HostContext } from '../host-context.ts';
import { isInterrupted, withBelow } from './interrupted.ts';
import { orderToGoOn } from './resume.ts';
import type { ThreadEntry } from './thread-table.ts';
import { wake } from '../waits/waiters.ts';

/**
 * Sees to what the end of earlier runtimes has interrupted, as `coordination.on_restart` says (ADR 40); but what came with the
 * database from elsewhere does not go on (ADR 67).
 */
export interface Recovery {
  /** Begins with the next turn of the event loop. */
  start(): void;
  /** Whether a thread is yet to be taken up: it is suspended, but goes on, or ends. Who waits for it is woken if it does not. */
  isAhead(entry: ThreadEntry): boolean;
  /** Waits while something is done that recovered threads may need, as a registration of tools. */
  after<Value>(work: Promise<Value>): Promise<Value>;
  /** Comes back to a thread that it has passed while somebody's resumption of it was being written, which has failed. */
  missed(entry: ThreadEntry): void;
  /** Leaves what was not taken up to the next runtime, and wakes whoever waits for it. */
  stop(): void;
}

type RecoverySurroundings = Pick<Surroundings, 'schedule'> & {
  /** Threads that the database brought along. */
  readonly foreign?: ForeignThreads | undefined;
};

type OnRestart = 'resume' | 'suspend' | 'cancel';

/** Most threads taken up in one turn of the event loop, and how long that may take, but for the last of them; one at least. */
const SLICE = 25;
const SLICE_MS = 3;
/** With so many in line for a slot, those that are left stay on disk. */
const MOST_IN_LINE = 1_000;
const LINE_POLL_MS = 20;

/**
 * Makes the recovery of a runtime. Nothing but the rows says what is left to do: a thread is interrupted until its
 * resumption, or its end, is on disk, so that recovery may itself be killed at any point.
 */
export function createRecovery(host: HostContext, around: RecoverySurroundings): Recovery {
  const { stopwatch } = host.clock;
  const manner = { how: host.config.resilience.coordination.onRestart, spares: createSparing(host, around.foreign) };
  let last = 0;
  let stage: 'under way' | 'through' | 'stopped' = manner.how === 'suspend' ? 'stopped' : 'under way';
  let timer: Timer | undefined;
  /** What was passed and missed, by its number. */
  const late = new Map<ThreadNo, Found>();

  const isDue = (): boolean => stage === 'under way' || late.size > 0;
  const turns = createTurns(around.schedule, () => isDue() && next());
  const later = (): void => {
    if (isDue()) turns.later();
  };
  const next = (): void => {
    if (host.slots.queued() >= MOST_IN_LINE) {
      timer ??= host.clock.setTimer(LINE_POLL_MS, () => {
        timer = undefined;
        later();
      });
      return;
    }
    const stopAt = stopwatch() + SLICE_MS;
    const looked = attempt(() => (stage === 'under way' ? host.reader.interrupted(last, SLICE) : []));
    // Those that are left stay suspended: a person, or the next runtime, may resume them.
    if (!looked.ok) {
      host.problem(looked.failure);
      return stop();
    }
    let isLate = false;
    for (const [index, found] of [...late.values(), ...looked.value].entries()) {
      // One at least, however long the look has taken: else nothing would ever be taken up.
      isLate = stopwatch() >= stopAt && index > 0;
      if (isLate) break;
      if (!late.delete(found.thread)) last = found.thread;
      recoverTree(host, found, manner);
      wakeInterrupted(host.table.get(found.thread));
    }
    if (stage === 'under way' && !isLate && looked.value.length < SLICE) stage = 'through';
    later();
  };
  const stop = (): void => {
    if (timer !== undefined) host.clock.clearTimer(timer);
    timer = undefined;
    late.clear();
    if (stage === 'stopped') return;
    stage = 'stopped';
    for (const entry of host.table.live()) wakeInterrupted(entry);
  };

  return {
    start: later,
    isAhead(entry) {
      const { thread } = entry.lineage;
      return ((stage === 'under way' && thread > last) || late.has(thread)) && isInterrupted(entry);
    },
    after: turns.after,
    missed({ lineage }) {
      if (stage === 'stopped') return;
      late.set(lineage.thread, lineage);
      later();
    },
    stop,
  };
}

/** Turns of the event loop, one ahead at a time; none does any work while something is waited for. */
function createTurns(schedule: Surroundings['schedule'], work: () => void): Turns {
  let holds = 0;
  let isScheduled = false;
  const later = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    schedule(() => {
      isScheduled = false;
      if (holds === 0) work();
    });
  };
  return {
    later,
    async after(awaited) {
      holds++;
      try {
        return await awaited;
      } finally {
        holds--;
        later();
      }
    },
  };
}

type Turns = Pick<Recovery, 'after'> & { readonly later: () => void };

/** Sees to a thread and to what else is interrupted in its tree, parents first: what goes on takes along what is below it. */
function recoverTree(host: HostContext, found: Found, { how, spares }: Manner): void {
  // A thread that is cancelled does nothing.
  const isLeft = (one: Found): boolean => how === 'resume' && spares(one);
  try {
    if (isLeft(found)) return;
    const entry = findEntry(found.threadId, host);
    if (!isInterrupted(entry)) return;
    for (const one of withBelow(topOf(entry, host), host)) {
      if (isInterrupted(one) && !isLeft(one.lineage)) recover(host, one, how);
    }
  } catch (thrown) {
    // A damaged row is that thread's trouble.
    host.problem(toFailure(thrown));
  }
}

type Found = Pick<ThreadRow, 'thread' | 'threadId'>;
type Sparing = (found: Found) => boolean;
type Manner = { readonly how: OnRestart; readonly spares: Sparing };

/**
 * Whether a thread came here with its database, and nobody has had it go on since: whoever made it is not to be believed. That
 * there are any is told once.
 */
function createSparing({ reader, problem }: HostContext, foreign: ForeignThreads | undefined): Sparing {
  let isTold = false;
  return ({ thread, threadId }) => {
    if (!foreign || thread > foreign.last) return false;
    const row = reader.threadByNo(thread);
    if (!row || row.updatedAt > foreign.until) return false;
    if (!isTold) problem(foreignFound(threadId));
    isTold = true;
    return true;
  };
}

function foreignFound(threadId: ThreadId): Failure {
  return {
    code: 'not_available',
    message:
      `The database was not made here: it was copied, came with the project, or is of an earlier release. What was interrupted ` +
      `in it (${threadId}, and perhaps others) does not go on by itself; resume what you trust: skein resume ID`,
  };
}

/** It stays where it is. */
function wakeInterrupted(entry: ThreadEntry | undefined): void {
  if (entry && isInterrupted(entry)) wake(entry);
}

function topOf(entry: ThreadEntry, { table }: HostContext): ThreadEntry {
  let top = entry;
  for (let above = table.parentOf(top); above; above = table.parentOf(top)) top = above;
  return top;
}

function recover(host: HostContext, entry: ThreadEntry, how: OnRestart): void {
  const { thread } = entry.lineage;
  if (how === 'cancel') return host.tell({ type: 'CANCEL', thread, reason: 'interrupted by the end of its runtime' });
  host.tell({ type: 'RESUME', order: orderToGoOn(host, entry) });
}
