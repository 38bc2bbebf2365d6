import type { Schedule } from '../../src/core/batched-port.ts';
import type { StoreResult } from '../../src/core/store.ts';
import type { Journal } from '../../src/thread/services/journal.ts';
import type { Thread } from '../../src/thread/thread.ts';

/** A journal that keeps nothing: events are not even encoded, and whoever commits goes on at the end of the tick. */
export function createBareJournal(schedule: Schedule): Journal {
  let waiting: ((result: StoreResult) => void)[] = [];
  const acknowledge = (): void => {
    const done = waiting;
    waiting = [];
    for (const one of done) one(true);
  };
  const later = (done: (result: StoreResult) => void): void => {
    if (waiting.push(done) === 1) schedule(acknowledge);
  };
  const journal: Journal = {
    record: () => undefined,
    recordEmitted: () => undefined,
    commit(thread, _parts, done) {
      takeStep(thread);
      later(done);
    },
    handOver: () => {
      throw new Error('Nothing is handed over here');
    },
    flushSoon: () => undefined,
    watch: () => undefined,
    isWatched: () => false,
    handling: () => journal,
    forget: () => undefined,
  };
  return journal;
}

/** What the step would have taken along is done with. */
function takeStep(thread: Thread): void {
  thread.settlement = undefined;
  thread.checkpointDue = false;
  thread.startDue = false;
}
