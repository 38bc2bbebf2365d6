import type { Clock, Timer } from '../../core/clock.ts';
import type { ThreadEntry, ThreadTable } from '../rest/thread-table.ts';
import { createFifo } from '../../core/fifo.ts';

/** Ended threads that are still in the table, for those who ask for them late; then they are read from the store. */
export interface RecentEndings {
  /** Keeps an ended thread for so long, and for as long as there are threads below it. */
  keep(entry: ThreadEntry, ttlMs: number): void;
  /** Forgets nobody any more. */
  close(): void;
}

/** Time between two looks at what is kept, at the least. */
export const RECHECK_MS = 1000;

/** Most endings looked at in one go: the host must answer others within 20 ms (architecture). */
const SLICE = 1000;

/** Makes the memory of a table's endings: they leave when their time is over, whether or not another thread ends. */
export function createRecentEndings({ clock, table }: EndingSources): RecentEndings {
  const kept = createFifo<{ readonly entry: ThreadEntry; readonly ttlMs: number; readonly until: number }>();
  let timer: Timer | undefined;
  let isClosed = false;

  const push = (entry: ThreadEntry, ttlMs: number, now: number): void =>
    kept.push({ entry, ttlMs, until: now + ttlMs });
  const forgetExpired = (now: number): void => {
    for (let left = SLICE; left > 0; left--) {
      const oldest = kept.peek();
      if (!oldest || oldest.until > now) break;
      kept.shift();
      // Its children find their way up through it.
      if (oldest.entry.children?.size) push(oldest.entry, Math.max(oldest.ttlMs, RECHECK_MS), now);
      else table.forget(oldest.entry);
    }
  };
  const watch = (): void => {
    const oldest = kept.peek();
    if (isClosed || timer !== undefined || !oldest) return;
    const left = oldest.until - clock.stopwatch();
    // What is over already is the rest of a slice.
    timer = clock.setTimer(left > 0 ? Math.max(RECHECK_MS, left) : 0, () => {
      timer = undefined;
      forgetExpired(clock.stopwatch());
      watch();
    });
  };
  return {
    keep(entry, ttlMs) {
      const now = clock.stopwatch();
      push(entry, ttlMs, now);
      forgetExpired(now);
      watch();
    },
    close() {
      isClosed = true;
      if (timer !== undefined) clock.clearTimer(timer);
    },
  };
}

type EndingSources = { readonly clock: Clock; readonly table: Pick<ThreadTable, 'forget'> };
