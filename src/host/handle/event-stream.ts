import type { Config } from '../../config/config.ts';
import { fromFailure } from '../../core/errors.ts';
import type { ThreadEvent } from '../../core/events.ts';
import { attempt, type Result } from '../../core/result.ts';
import type { StoreReader } from '../../core/store.ts';
import { openEvents, type EventFeed, type EventListener } from './event-feed.ts';
import { createFifo } from '../../core/fifo.ts';
import type { EntrySources } from '../rest/find-entry.ts';
import { nextInLine } from '../endings/heir.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { refuseStopped } from './refuse-stopped.ts';
import type { EndingSources } from './until-ended.ts';

/** What a stream reads from. */
export type EventStreamSources = { readonly feed: EventFeed; readonly reader: StoreReader; readonly config: Config };

/**
 * All events of a thread and of those that take over from it, until the last of them ends or its runtime stops. What is stored
 * by then is all of it told, however far behind its reader is.
 */
export async function* streamChain(entry: ThreadEntry, sources: EndingSources): AsyncGenerator<ThreadEvent, void> {
  // It begins when it is first asked for an event.
  refuseStopped(sources);
  const { host } = sources;
  let one: ThreadEntry | undefined = entry;
  const closing = heedClose(() => one, host);
  try {
    while (one) {
      yield* streamEvents(one, host);
      const rest = closing.rest();
      if (rest) return yield* opened(rest);
      one = nextInLine(one, host);
    }
  } finally {
    closing.stop();
  }
}

type Rest = Result<readonly ThreadEvent[]>;

/** Reads what those who took over from a thread have in the store when its runtime stops: later it can't be read. */
function heedClose(
  one: () => ThreadEntry | undefined,
  host: EventStreamSources & EntrySources,
): { rest(): Rest | undefined; stop(): void; readonly closed: () => void } {
  let rest: Rest | undefined;
  const closed = (): void => {
    rest = attempt(() => readSuccessors(one(), host));
  };
  const stop = host.feed.listenToClose(closed);
  // Whoever has the stream holds what hears of the close.
  return { rest: () => rest, stop, closed };
}

function readSuccessors(entry: ThreadEntry | undefined, host: EventStreamSources & EntrySources): ThreadEvent[] {
  const events: ThreadEvent[][] = [];
  for (let next = entry && nextInLine(entry, host); next; next = nextInLine(next, host))
    events.push(readStored(next, host, 1));
  return events.flat();
}

function opened(rest: Rest): readonly ThreadEvent[] {
  if (!rest.ok) throw fromFailure(rest.failure);
  return rest.value;
}

/**
 * All events of a thread from its first, then live ones until it ends or its runtime stops. What was stored before the
 * stream began, and whatever the live feed has missed, is read from the store: stored events come gapless and once.
 */
export async function* streamEvents(
  entry: ThreadEntry,
  sources: EventStreamSources,
): AsyncGenerator<ThreadEvent, void> {
  const waiting = createFifo<ThreadEvent>();
  let last = 0;
  // All of it is stored then: there is nothing to listen to.
  let over = entry.phase === 'ended';
  let broken: { readonly thrown: unknown } | undefined;
  let wake = (): void => undefined;
  const readRest = (): ThreadEvent[] => readStored(entry, sources, last + 1);
  const listener: EventListener = {
    event(event) {
      waiting.push(event);
      wake();
    },
    ended() {
      over = true;
      // Read now, since the store may be closed next; what is wrong with the log is its reader's to hear of.
      try {
        for (const event of readRest()) waiting.push(event);
      } catch (thrown) {
        broken = { thrown };
      }
      wake();
    },
  };
  const stop = over ? undefined : sources.feed.listen(entry, listener);
  try {
    for (const event of readRest()) waiting.push(event);
    for (;;) {
      const event = waiting.shift();
      if (event) {
        const isAhead = event.sequence !== undefined && event.sequence > last + 1;
        for (const next of isAhead ? readRest() : [event]) {
          if (next.sequence !== undefined && next.sequence <= last) continue;
          last = next.sequence ?? last;
          yield next;
        }
      } else if (broken) throw broken.thrown;
      else if (over) return;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    stop?.();
  }
}

function readStored(entry: ThreadEntry, { reader, config }: EventStreamSources, from: number): ThreadEvent[] {
  const { thread, threadId } = entry.lineage;
  return reader
    .events(thread, from)
    .flatMap((lines) => openEvents(lines, threadId, config))
    .filter((event) => (event.sequence ?? 0) >= from);
}
