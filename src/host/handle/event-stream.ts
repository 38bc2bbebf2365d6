import type { Config } from '../../config/config.ts';
import type { ThreadEvent } from '../../core/events.ts';
import type { StoreReader } from '../../core/store.ts';
import { openEvents, type EventFeed } from './event-feed.ts';
import { createFifo } from '../../core/fifo.ts';
import type { EntrySources } from '../rest/find-entry.ts';
import { nextInLine } from '../endings/heir.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

/** What a stream reads from. */
export type EventStreamSources = { readonly feed: EventFeed; readonly reader: StoreReader; readonly config: Config };

/** All events of a thread and of those that take over from it, until the last of them ends or its runtime stops. */
export async function* streamChain(
  entry: ThreadEntry,
  host: EventStreamSources & EntrySources,
): AsyncGenerator<ThreadEvent, void> {
  for (let one: ThreadEntry | undefined = entry; one; one = nextInLine(one, host)) yield* streamEvents(one, host);
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
  let over = false;
  let broken: { readonly thrown: unknown } | undefined;
  let wake = (): void => undefined;
  const readRest = (): ThreadEvent[] => readStored(entry, sources, last + 1);
  const stop = sources.feed.listen(entry, {
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
  });
  try {
    for (const event of readRest()) waiting.push(event);
    over ||= entry.phase === 'ended';
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
    stop();
  }
}

function readStored(entry: ThreadEntry, { reader, config }: EventStreamSources, from: number): ThreadEvent[] {
  const { thread, threadId } = entry.lineage;
  return reader
    .events(thread, from)
    .flatMap((lines) => openEvents(lines, threadId, config))
    .filter((event) => (event.sequence ?? 0) >= from);
}
