import type { Timer } from '../../core/clock.ts';
import type { Apart } from './crew.ts';
import type { HostContext } from '../host-context.ts';
import { standInLine } from '../admission/line.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

/**
 * The threads whose turn came while all workers for suspects were taken (ADR 58). They hold no slot meanwhile.
 *
 * Invariants:
 * 1. A part waits as a whole, and parts go in the order in which they came: for one that was called, and stands in line for
 *    slots again, a worker is kept.
 * 2. At most `MOST_APART` workers are taken or kept, and one more for each part that waited for too long.
 * 3. While a part waits, no worker stays free.
 * 4. None waits for ever, whoever holds the workers: after `PATIENCE_MS` in which none was called the next part is, all the
 *    same.
 */
export interface SuspectLine {
  /** Whether there is a worker for a thread whose turn has come; one for which there is none waits. */
  admits(entry: ThreadEntry): boolean;
  /** Calls whom there is a worker for: one may have become free. */
  look(): void;
  close(): void;
}

/** Workers that suspects have at a time; each takes about 50 MB. */
const MOST_APART = 4;
const PATIENCE_MS = 10_000;

/** Makes an empty line. */
export function createSuspectLine(context: () => HostContext): SuspectLine {
  const waiting = new Map<Apart, Set<ThreadEntry>>();
  const called = new Map<Apart, ThreadEntry[]>();
  let timer: Timer | undefined;

  const isFree = (): boolean => {
    for (const [apart, entries] of called) if (!standsAny(apart, entries)) called.delete(apart);
    return context().crew.countApart() + called.size < MOST_APART;
  };
  const callNext = (): void => {
    stop();
    const host = context();
    for (const [apart, entries] of waiting) {
      waiting.delete(apart);
      const left = [...entries].filter((entry) => goesOn(apart, entry));
      if (left.length === 0) continue;
      called.set(apart, left);
      for (const entry of left) standInLine(host, entry);
      host.tell({ type: 'SLOT_FREE' });
      break;
    }
  };
  const beginPatience = (): void => {
    if (waiting.size > 0) timer ??= context().clock.setTimer(PATIENCE_MS, loseIt);
  };
  const loseIt = (): void => {
    callNext();
    beginPatience();
  };
  const look = (): void => {
    while (waiting.size > 0 && isFree()) callNext();
    beginPatience();
  };
  const stop = (): void => {
    if (timer !== undefined) context().clock.clearTimer(timer);
    timer = undefined;
  };

  return {
    admits(entry) {
      const { apart } = entry;
      if (!apart || called.delete(apart) || context().crew.hasWorkerFor(apart)) return true;
      if (waiting.size === 0 && isFree()) return true;
      waiting.set(apart, (waiting.get(apart) ?? new Set()).add(entry));
      look();
      return false;
    },
    look,
    close: stop,
  };
}

/** Others have been cancelled or suspended meanwhile. */
function goesOn(part: Apart, { apart, phase, order }: ThreadEntry): boolean {
  return apart === part && phase === 'queued' && order !== undefined;
}

/** Whether any of a called part still stands in line for a slot; those at the end that do not are dropped. */
function standsAny(part: Apart, entries: ThreadEntry[]): boolean {
  for (let last = entries.at(-1); last; last = entries.at(-1)) {
    if (last.inLine && goesOn(part, last)) return true;
    entries.pop();
  }
  return false;
}
