import type { Clock } from '../../core/clock.ts';
import type { EventFeed } from './event-feed.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

/** Whether something happens to a thread; somebody has to stop listening. */
export interface News {
  /** Resolves once there is something since it was made, the time is over, or nobody waits any more. */
  within(ms: number, signal: AbortSignal | undefined): Promise<void>;
  stop(): void;
}

/** News of a thread of a running host. */
export function createNews(
  entry: ThreadEntry,
  { feed, clock }: { readonly feed: EventFeed; readonly clock: Clock },
): News {
  const heard = Promise.withResolvers<void>();
  const stop = feed.listen(entry, {
    // What is not stored can't be read.
    event: ({ sequence }) => sequence !== undefined && heard.resolve(),
    ended: () => heard.resolve(),
  });
  return {
    stop,
    async within(ms, signal) {
      const giveUp = (): void => heard.resolve();
      const timer = clock.setTimer(ms, giveUp);
      signal?.addEventListener('abort', giveUp, { once: true });
      if (signal?.aborted) giveUp();
      try {
        await heard.promise;
      } finally {
        signal?.removeEventListener('abort', giveUp);
        clock.clearTimer(timer);
      }
    },
  };
}

/** Nothing happens to a thread that nobody runs. */
export const NO_NEWS: News = { within: async () => undefined, stop: () => undefined };
