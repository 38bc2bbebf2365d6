import type { Timer } from '../../core/clock.ts';
import { toFailure } from '../../core/errors.ts';
import type { ThreadId } from '../../core/ids.ts';
import { attempt } from '../../core/result.ts';
import { systemSurroundings, type Surroundings } from '../../core/surroundings.ts';
import { findEntry } from './find-entry.ts';
import type { HostContext } from '../host-context.ts';
import { isInterrupted, withBelow } from './interrupted.ts';
import { orderToGoOn } from './resume.ts';
import type { ThreadEntry } from './thread-table.ts';
import { wake } from '../waits/waiters.ts';

/** Goes on with what the end of earlier runtimes has interrupted, as `coordination.on_restart` says (ADR 40). */
export interface Recovery {
  /** Begins with the next turn of the event loop. */
  start(): void;
  /** Whether a thread is yet to be taken up: it is suspended, but goes on, or ends. Who waits for it is woken if it does not. */
  isAhead(entry: ThreadEntry): boolean;
  /** Waits while something is done that recovered threads may need, as a registration of tools. */
  after<Value>(work: Promise<Value>): Promise<Value>;
  /** Leaves what was not taken up to the next runtime, and wakes whoever waits for it. */
  stop(): void;
}

type Turns = Pick<Surroundings, 'schedule'>;

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
export function createRecovery(host: HostContext, surroundings: Turns = systemSurroundings): Recovery {
  const { schedule } = surroundings;
  const { stopwatch } = host.clock;
  const { onRestart } = host.config.resilience.coordination;
  let last = 0;
  let holds = 0;
  let isOver = onRestart === 'suspend';
  let isScheduled = false;
  let timer: Timer | undefined;

  const later = (): void => {
    if (isOver || isScheduled) return;
    isScheduled = true;
    schedule(() => {
      isScheduled = false;
      if (!isOver && holds === 0) next();
    });
  };
  const next = (): void => {
    if (host.slots.queued() >= MOST_IN_LINE) {
      timer = host.clock.setTimer(LINE_POLL_MS, later);
      return;
    }
    const stopAt = stopwatch() + SLICE_MS;
    const looked = attempt(() => host.reader.interrupted(last, SLICE));
    // Those that are left stay suspended: a person, or the next runtime, may resume them.
    if (!looked.ok) {
      host.problem(looked.failure);
      return stop();
    }
    let isLate = false;
    for (const [index, { thread, threadId }] of looked.value.entries()) {
      // One at least, however long the look has taken: else nothing would ever be taken up.
      isLate = stopwatch() >= stopAt && index > 0;
      if (isLate) break;
      last = thread;
      recoverTree(host, threadId, onRestart);
      wakeInterrupted(host.table.get(thread));
    }
    isOver ||= !isLate && looked.value.length < SLICE;
    later();
  };
  const stop = (): void => {
    if (timer !== undefined) host.clock.clearTimer(timer);
    if (isOver) return;
    isOver = true;
    for (const entry of host.table.live()) wakeInterrupted(entry);
  };

  return {
    start: later,
    isAhead: (entry) => !isOver && entry.lineage.thread > last && isInterrupted(entry),
    async after(work) {
      holds++;
      try {
        return await work;
      } finally {
        holds--;
        later();
      }
    },
    stop,
  };
}

/** Sees to a thread and to what else is interrupted in its tree, parents first: what goes on takes along what is below it. */
function recoverTree(host: HostContext, id: ThreadId, how: OnRestart): void {
  try {
    const entry = findEntry(id, host);
    if (!isInterrupted(entry)) return;
    for (const one of withBelow(topOf(entry, host), host)) if (isInterrupted(one)) recover(host, one, how);
  } catch (thrown) {
    // A damaged row is that thread's trouble.
    host.problem(toFailure(thrown));
  }
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
