import type { Timer } from '../core/clock.ts';
import type { Apart } from './crew.ts';
import type { HostContext } from './host-context.ts';
import { standInLine } from './line.ts';
import type { ThreadEntry } from './thread-table.ts';

/**
 * The threads whose turn came while all workers for suspects were taken (ADR 58). They hold no slot meanwhile.
 *
 * Invariants:
 * 1. A part waits as a whole, and parts go in the order in which they came.
 * 2. While one waits, no worker for suspects stays free: when one ends, the next part stands in line for slots again.
 * 3. None waits for ever, whoever holds the workers: after `PATIENCE_MS` without one the next part gets a worker beyond
 *    their number.
 */
export interface SuspectLine {
  wait(entry: ThreadEntry): void;
  /** There is a worker for the next ones. */
  next(): void;
  close(): void;
}

const PATIENCE_MS = 10_000;

/** Makes an empty line. */
export function createSuspectLine(context: () => HostContext): SuspectLine {
  const parts = new Map<Apart, ThreadEntry[]>();
  let timer: Timer | undefined;
  const stop = (): void => {
    if (timer !== undefined) context().clock.clearTimer(timer);
    timer = undefined;
  };
  const call = (isDue: boolean): void => {
    stop();
    const host = context();
    const next = takeNext(parts);
    for (const entry of next) {
      if (entry.apart) entry.apart.isDue = isDue;
      standInLine(host, entry);
    }
    if (parts.size > 0) timer = host.clock.setTimer(PATIENCE_MS, () => call(true));
    if (next.length > 0) host.tell({ type: 'SLOT_FREE' });
  };
  return {
    wait(entry) {
      if (!entry.apart) return;
      const part = parts.get(entry.apart);
      if (part) part.push(entry);
      else parts.set(entry.apart, [entry]);
      timer ??= context().clock.setTimer(PATIENCE_MS, () => call(true));
    },
    next: () => call(false),
    close: stop,
  };
}

/** The first part of which some are waiting still: others may have been cancelled or suspended meanwhile. */
function takeNext(parts: Map<Apart, ThreadEntry[]>): ThreadEntry[] {
  for (const [apart, entries] of parts) {
    parts.delete(apart);
    const waiting = entries.filter(({ phase, order }) => phase === 'queued' && order !== undefined);
    if (waiting.length > 0) return waiting;
  }
  return [];
}
