import { decodeEvents, type EventType, type StoredEvent } from '../core/events.ts';
import type { ThreadNo } from '../core/ids.ts';
import type { SearchHit, SearchResult, TranscriptOptions } from '../core/store-transcript.ts';

/** Characters of a log that one search looks through at most. */
const MOST_SEARCHED = 64 * 1024 * 1024;

/** Characters shown on either side of what was found. */
const AROUND = 80;

/** The last events of a log whose chunks come newest first; reads no more chunks than it needs. */
export function lastEvents(
  chunks: () => Iterable<string>,
  { tail = Infinity, types }: TranscriptOptions,
): StoredEvent[] {
  const found: StoredEvent[] = [];
  if (tail <= 0) return found;
  for (const chunk of chunks()) {
    for (const event of decodeEvents(chunk).toReversed()) {
      if (types && !types.includes(event.event_type)) continue;
      found.push(event);
      if (found.length >= tail) return found.toReversed();
    }
  }
  return found.toReversed();
}

/** What is searched: threads in order, with their chunks oldest first. */
export type Searched = {
  readonly threads: readonly ThreadNo[];
  readonly chunks: (thread: ThreadNo) => Iterable<string>;
  readonly limit: number;
};

/** Finds a text in the texts of events, whatever its case: the first place in each event. */
export function searchEvents(text: string, { threads, chunks, limit }: Searched): SearchResult {
  const hits: SearchHit[] = [];
  const wanted = text.toLowerCase();
  // As it stands in a JSON line: most chunks need not be decoded.
  const encoded = JSON.stringify(text).slice(1, -1).toLowerCase();
  let left = MOST_SEARCHED;
  for (const thread of threads) {
    for (const chunk of chunks(thread)) {
      left -= chunk.length;
      if (left < 0) return { hits, truncated: true };
      if (!chunk.toLowerCase().includes(encoded)) continue;
      for (const { sequence, event_type, time, payload } of decodeEvents(chunk)) {
        const snippet = findIn(payload, wanted);
        if (snippet === undefined) continue;
        if (hits.length >= limit) return { hits, truncated: true };
        hits.push({ thread, sequence, eventType: event_type satisfies EventType, time, snippet });
      }
    }
  }
  return { hits, truncated: false };
}

/** The first text of a payload that contains the wanted one, cut to what is around it. */
function findIn(value: unknown, wanted: string): string | undefined {
  if (typeof value === 'string') return snippetOf(value, wanted);
  if (typeof value !== 'object' || value === null) return undefined;
  for (const part of Object.values(value)) {
    const found = findIn(part, wanted);
    if (found !== undefined) return found;
  }
  return undefined;
}

function snippetOf(text: string, wanted: string): string | undefined {
  const lower = text.toLowerCase();
  const at = lower.indexOf(wanted);
  if (at === -1) return undefined;
  // A few letters have a lower case of another length: then places are those of the lower-case text.
  const source = lower.length === text.length ? text : lower;
  const start = Math.max(0, at - AROUND);
  const end = at + wanted.length + AROUND;
  return `${start > 0 ? '…' : ''}${source.slice(start, end)}${end < source.length ? '…' : ''}`;
}
