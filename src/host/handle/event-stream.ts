import { setImmediate } from 'node:timers/promises';
import type { Config } from '../../config/config.ts';
import { fromFailure } from '../../core/errors.ts';
import type { ThreadEvent } from '../../core/events.ts';
import { attempt } from '../../core/result.ts';
import type { StoreReader } from '../../core/store.ts';
import { openEvents, type EventFeed, type EventListener } from './event-feed.ts';
import { createFifo } from '../../core/fifo.ts';
import type { EntrySources } from '../rest/find-entry.ts';
import { nextInLine } from '../endings/heir.ts';
import { lastSequenceOf } from '../operations/stored-threads.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { refuseStopped } from './refuse-stopped.ts';
import type { EndingSources } from './until-ended.ts';

/** Events that wait for a reader: of one that is further behind, who may never come back, no more are held. */
const MOST_WAITING = 1_000;

/** What a stream reads from. */
export type EventStreamSources = { readonly feed: EventFeed; readonly reader: StoreReader; readonly config: Config };

/**
 * All events of a thread and of those that take over from it, until the last of them ends or its runtime stops. What is stored
 * by then is all of it told, however far behind its reader is. Whoever leaves it, leaves it at once, also while it waits.
 */
export function streamChain(entry: ThreadEntry, sources: EndingSources): AsyncIterableIterator<ThreadEvent, void> {
  const place: Place = { entry, last: 0, rest: undefined, isLeft: false, wake: () => undefined };
  const events = readChain(place, sources);
  const stream = {
    next: () => events.next(),
    return() {
      // What waits for the next event ends with that: else the generator would not hear of it before.
      place.isLeft = true;
      place.wake();
      return events.return();
    },
    [Symbol.asyncIterator]: () => stream,
  };
  return stream;
}

/** Where a stream is. */
type Place = {
  entry: ThreadEntry;
  /** Number of the last event that was told. */
  last: number;
  /** What had not been told when the runtime stopped. */
  rest: readonly Rest[] | undefined;
  isLeft: boolean;
  /** Called when there may be something to tell. */
  wake: () => void;
};

async function* readChain(place: Place, sources: EndingSources): AsyncGenerator<ThreadEvent, void> {
  // It begins when it is first asked for an event.
  refuseStopped(sources);
  const { host } = sources;
  const closing = heedClose(place, host);
  try {
    for (let one: ThreadEntry | undefined = place.entry; one; one = nextInLine(one, host)) {
      place.entry = one;
      place.last = 0;
      yield* streamEvents(place, host);
      if (place.rest) return yield* told(place, host);
      if (place.isLeft) return;
    }
  } finally {
    closing.stop();
  }
}

/** Reads what is left in the store when the runtime stops: later it can't be read. */
function heedClose(
  place: Place,
  host: EventStreamSources & EntrySources,
): { stop(): void; readonly closed: () => void } {
  const closed = (): void => {
    place.rest = readRest(place, host);
    place.wake();
  };
  const stop = host.feed.listenToClose(closed);
  // Whoever has the stream holds what hears of the close.
  return { stop, closed };
}

/** Lines of a thread that were not told, or why they can't be; what is wrong with the log is its reader's to hear of. */
type Rest = { readonly entry: ThreadEntry; readonly chunks: readonly string[] } | { readonly thrown: unknown };

function readRest(place: Place, host: EventStreamSources & EntrySources): readonly Rest[] {
  const rest: Rest[] = [];
  try {
    let from = place.last + 1;
    for (let one: ThreadEntry | undefined = place.entry; one; one = nextInLine(one, host)) {
      rest.push({ entry: one, chunks: host.reader.events(one.lineage.thread, from) });
      from = 1;
    }
  } catch (thrown) {
    rest.push({ thrown });
  }
  return rest;
}

function* told(place: Place, sources: EventStreamSources): Generator<ThreadEvent, void> {
  for (const rest of place.rest ?? []) {
    if ('thrown' in rest) throw rest.thrown;
    if (rest.entry !== place.entry) place.last = 0;
    place.entry = rest.entry;
    for (const lines of rest.chunks) {
      for (const event of opened(lines, place, sources)) {
        place.last = event.sequence ?? place.last;
        yield event;
      }
    }
  }
}

/**
 * All events of a thread from its first, then live ones until it ends or its runtime stops. What was stored before the
 * stream began, and whatever the live feed has missed, is read from the store, and no more than that: stored events come
 * gapless and once. A reader that is far behind misses live ones that are not stored.
 */
async function* streamEvents(place: Place, sources: EventStreamSources): AsyncGenerator<ThreadEvent, void> {
  const { entry } = place;
  let waiting = createFifo<ThreadEvent>();
  let newest: ThreadEvent | undefined;
  // All of it is stored then: there is nothing to listen to.
  let over = entry.phase === 'ended';
  const listener: EventListener = {
    event(event) {
      if (waiting.size() >= MOST_WAITING) {
        waiting = createFifo();
        // Those before it are missed then, and read from the store.
        if (newest) waiting.push(newest);
      }
      if (event.sequence !== undefined) newest = event;
      waiting.push(event);
      place.wake();
    },
    ended() {
      over = true;
      place.wake();
    },
  };
  const stop = over ? undefined : sources.feed.listen(entry, listener);
  try {
    let upTo = over ? 0 : lastSequenceOf(sources.reader, entry.lineage.thread);
    while (!place.isLeft) {
      yield* readStored(place, sources, upTo);
      // What was left to read is in the rest, and what waits comes after that.
      if (place.rest && place.last < upTo) return;
      const event = waiting.shift();
      if (event) {
        const { sequence } = event;
        if (sequence === undefined || sequence === place.last + 1) {
          place.last = sequence ?? place.last;
          yield event;
        } else upTo = sequence;
      } else if (place.rest) return;
      else if (over) return yield* readStored(place, sources, Number.POSITIVE_INFINITY);
      else await new Promise<void>((resolve) => void (place.wake = resolve));
    }
  } finally {
    stop?.();
  }
}

/** What is stored up to an event and was not told, a page at a time: others have their turn between them. */
async function* readStored(place: Place, sources: EventStreamSources, upTo: number): AsyncGenerator<ThreadEvent, void> {
  const { thread } = place.entry.lineage;
  while (!place.rest && place.last < upTo) {
    const before = place.last;
    for (const { lines } of sources.reader.logPage(thread, { from: before + 1 })) {
      for (const event of opened(lines, place, sources)) {
        const { sequence = 0 } = event;
        if (sequence > upTo) return;
        place.last = sequence;
        yield event;
      }
    }
    if (place.last === before) return;
    await setImmediate();
  }
}

/** The events in lines of a log that were not told. */
function opened(lines: string, { entry, last }: Place, { config }: EventStreamSources): readonly ThreadEvent[] {
  const events = attempt(() => openEvents(lines, entry.lineage.threadId, config), 'store_corrupt');
  if (!events.ok) throw fromFailure(events.failure);
  return events.value.filter(({ sequence = 0 }) => sequence > last);
}
