import type { Timer } from '../../core/clock.ts';
import { createNumberedMap, type NumberedMap } from '../../core/paged-map.ts';
import { sendAway } from './absence.ts';
import type { HostContext } from '../host-context.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

/** Threads that wait for others: those in a worker, of which some have waited for long, and those that have left theirs. */
export interface Absences {
  /** It waits in its worker from now on. */
  waits(entry: ThreadEntry): void;
  /** It waits there no more. */
  over(entry: ThreadEntry): void;
  readonly away: NumberedMap<ThreadEntry>;
  /** Nobody leaves or comes back any more. */
  close(): void;
}

/** Threads that are sent away in one go; the others a moment later. */
const SLICE = 250;

/**
 * Makes them for a host, which they know only later. Threads that have waited for `coordination.passivate_waiting_seconds` are
 * sent away. One timer for all: they are due in the order in which they began to wait.
 */
export function createAbsences(context: () => HostContext): Absences {
  const seconds = (): number | null => context().config.resilience.coordination.passivateWaitingSeconds;
  const waiting = new Map<ThreadEntry, number>();
  const away = createNumberedMap<ThreadEntry>();
  let timer: Timer | undefined;

  const watch = (): void => {
    const { clock } = context();
    const [first] = waiting.values();
    const after = seconds();
    if (timer !== undefined || first === undefined || !after) return;
    timer = clock.setTimer(Math.max(0, first + after * 1000 - clock.stopwatch()), () => {
      timer = undefined;
      sendDue(after * 1000);
      watch();
    });
  };
  const sendDue = (afterMs: number): void => {
    const host = context();
    let left = SLICE;
    for (const [entry, since] of waiting) {
      if (since + afterMs > host.clock.stopwatch() || left-- === 0) return;
      waiting.delete(entry);
      sendAway(host, entry);
    }
  };
  return {
    away,
    waits(entry) {
      if (!seconds()) return;
      // Those that have begun last are the last.
      waiting.delete(entry);
      waiting.set(entry, context().clock.stopwatch());
      watch();
    },
    over: (entry) => void waiting.delete(entry),
    close() {
      const { clock } = context();
      if (timer !== undefined) clock.clearTimer(timer);
      waiting.clear();
      for (const { lineage, absence } of away.values()) {
        away.delete(lineage.thread);
        if (absence?.kind === 'away' && absence.timer !== undefined) clock.clearTimer(absence.timer);
      }
    },
  };
}
