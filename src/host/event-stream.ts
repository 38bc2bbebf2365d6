import type { Config } from '../config/config.ts';
import type { ThreadEvent } from '../core/events.ts';
import type { StoreReader } from '../core/store.ts';
import { openEvents, type EventFeed } from './event-feed.ts';
import type { ThreadEntry } from './thread-table.ts';

/** What a stream reads from. */
export type EventStreamSources = { readonly feed: EventFeed; readonly reader: StoreReader; readonly config: Config };

/**
 * All events of a thread from its first, then live ones until it ends. What was stored before the stream began, and
 * whatever the live feed has missed, is read from the store: stored events come gapless and once.
 */
export async function* streamEvents(
  entry: ThreadEntry,
  sources: EventStreamSources,
): AsyncGenerator<ThreadEvent, void> {
  const waiting: ThreadEvent[] = [];
  let over = entry.phase === 'ended';
  let wake: () => void = () => undefined;
  const stop = sources.feed.listen(entry, {
    event(event) {
      waiting.push(event);
      wake();
    },
    ended() {
      over = true;
      wake();
    },
  });
  try {
    let last = 0;
    const stored = (): ThreadEvent[] => readStored(entry, sources, last + 1);
    for (const event of stored()) {
      last = event.sequence ?? last;
      yield event;
    }
    for (;;) {
      const event = waiting.shift();
      if (event) {
        const missed = event.sequence !== undefined && event.sequence > last + 1 ? stored() : [event];
        for (const next of missed) {
          if (next.sequence !== undefined && next.sequence <= last) continue;
          last = next.sequence ?? last;
          yield next;
        }
      } else if (over) {
        for (const next of stored()) {
          last = next.sequence ?? last;
          yield next;
        }
        return;
      } else {
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
