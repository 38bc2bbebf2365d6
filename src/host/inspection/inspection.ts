import type { Clock } from '../../core/clock.ts';
import { toFailure } from '../../core/errors.ts';
import type { InspectionRelay, OpenRelay } from '../../core/inspection.ts';
import type { Redactor } from '../../core/redactor.ts';
import type { HostContext } from '../host-context.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { checkInspectChoice, type InspectOptions } from './inspect-options.ts';
import type { Inspector } from './inspector.ts';
import { readNews } from './read-news.ts';
import { createSupervisorTap, type SupervisorTap } from './supervisor-tap.ts';
import { createToMessage } from './to-message.ts';
import { createWatchedThreads, type WatchedSources } from './watched-threads.ts';

/**
 * What lets people look into the machines of a runtime.
 *
 * Owns: which threads are looked at. Doesn't own: viewers and what waits for them; the relay does.
 *
 * Invariants:
 * 1. While nobody is connected, workers are asked for nothing and say nothing.
 * 2. Whoever comes late, or has missed something, is told of all actors as they are now, and of those that it knows that
 *    they have ended.
 * 3. What a worker says is checked, and its ids are made different from those of all others, before it is passed on.
 */
export interface Inspection {
  readonly supervisor: SupervisorTap;
  /** A thread is about to be sent to its worker. */
  placed(entry: ThreadEntry): void;
  /** News of an actor, as its worker says them. */
  heard(worker: number, news: string): void;
  /** A worker is gone, and with it its actors. */
  lost(worker: number): void;
  /** Lets viewers come. @throws SkeinError `invalid_argument`: the port can't be used */
  open(openRelay: OpenRelay): Promise<Inspector>;
  /** Viewers get what is left for them, if they take it. */
  close(): Promise<void>;
}

/** What an inspection is made from. */
export type InspectionOptions = {
  readonly options: InspectOptions;
  readonly host: () => WatchedSources & Pick<HostContext, 'problem'>;
  readonly clock: Clock;
  readonly redactor: Pick<Redactor, 'text'>;
};

/** Makes a runtime's inspection; nobody can look yet. */
export function createInspection({ options, host, clock, redactor }: InspectionOptions): Inspection {
  const { port = 0, stately = false, ...choice } = options;
  const clean = (text: string): string => redactor.text(text);
  const toMessage = createToMessage(clean);
  const watched = createWatchedThreads(choice, host);
  const distrusted = new Set<number>();
  let relay: InspectionRelay | undefined;
  const supervisor = createSupervisorTap({
    ...watched,
    clock,
    clean,
    say: (news) => relay?.send(toMessage(news, 'host')),
  });
  const tellAll = (): void => {
    watched.begin();
    supervisor.tell();
  };
  return {
    supervisor,
    placed: (entry) => watched.placed(entry),
    heard(worker, news) {
      if (!watched.isWatching()) return;
      try {
        relay?.send(toMessage(readNews(news), placeOf(worker)));
      } catch (thrown) {
        // Once: it would say the same of every actor.
        if (!distrusted.has(worker)) host().problem(toFailure(thrown));
        distrusted.add(worker);
      }
    },
    lost: (worker) => relay?.lost(placeOf(worker)),
    async open(openRelay) {
      const { problem } = host();
      const opened = await openRelay({ port, stately, clock, tellAll, left: () => watched.stop(), problem });
      relay = opened;
      return {
        url: opened.url,
        page: opened.page,
        attach(next) {
          checkInspectChoice(next);
          watched.choose(next);
          if (watched.isWatching()) tellAll();
        },
        counts: () => opened.counts(),
      };
    },
    close: async () => relay?.close(),
  };
}

function placeOf(worker: number): string {
  return `worker-${worker}`;
}
