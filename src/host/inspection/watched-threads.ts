import type { ThreadNo } from '../../core/ids.ts';
import type { HostContext } from '../host-context.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import type { InspectChoice } from './inspect-options.ts';
import { createSelection } from './selection.ts';

/** Which threads are looked at, and that their workers know it. */
export interface WatchedThreads {
  isWatching(): boolean;
  /** Whether what happens with a thread is seen; without a number, what is not about one thread that has one. */
  isSeen(thread: ThreadNo | undefined): boolean;
  /** These from now on. */
  choose(choice: InspectChoice): void;
  /** Has the workers tell of them and of no others, from the beginning also of those that they have told of. */
  begin(): void;
  stop(): void;
  placed(entry: ThreadEntry): void;
}

/** What is asked of the host. */
export type WatchedSources = Pick<HostContext, 'table' | 'reader' | 'gateway' | 'load'>;

/** Makes them; nobody looks yet. */
export function createWatchedThreads(begun: InspectChoice, host: () => WatchedSources): WatchedThreads {
  let choice = begun;
  let selects = createSelection(choice, host);
  let isWatching = false;
  const stop = (): void => {
    isWatching = false;
    host().gateway.broadcast({ type: 'inspect', threads: [], anew: true });
  };
  return {
    isWatching: () => isWatching,
    isSeen(thread) {
      const entry = thread === undefined ? undefined : host().table.get(thread);
      return entry ? selects(entry) : isEverything(choice);
    },
    choose(next) {
      choice = next;
      selects = createSelection(next, host);
    },
    begin() {
      isWatching = true;
      const { table, gateway, load } = host();
      const seen = [...table.live()].filter((entry) => entry.worker >= 0 && selects(entry));
      const byWorker = Map.groupBy(seen, (entry) => entry.worker);
      for (const worker of load.keys()) {
        const threads = (byWorker.get(worker) ?? []).map(({ lineage }) => lineage.thread);
        gateway.send(worker, { type: 'inspect', threads, anew: true });
      }
    },
    stop,
    placed(entry) {
      if (!isWatching || !selects(entry)) return;
      host().gateway.send(entry.worker, { type: 'inspect', threads: [entry.lineage.thread], anew: false });
    },
  };
}

function isEverything({ threads, subtrees, directives, sample = 1 }: InspectChoice): boolean {
  return !threads && !subtrees && !directives && sample === 1;
}
