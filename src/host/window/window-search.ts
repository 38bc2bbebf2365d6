import type { Clock } from '../../core/clock.ts';
import { SkeinError } from '../../core/errors.ts';
import { lastSequence } from '../../core/events.ts';
import type { ThreadId, ThreadNo } from '../../core/ids.ts';
import type { StoreReader, ThreadRow } from '../../core/store.ts';
import { checkCount } from '../handle/argument-types.ts';
import { placesIn, type Place } from '../operations/chain-search.ts';
import { createPauses } from '../operations/pauses.ts';
import { chunksOf } from '../operations/stored-threads.ts';
import { requireRow } from './window-threads.ts';

/** What is looked for. */
export type WindowQuery = {
  /** Whatever its case. */
  readonly text: string;
  /** Hits of a page, 1 to 100. */
  readonly limit: number;
  /** `next` of the page before. */
  readonly cursor?: string | undefined;
  /** Only this thread and those below it. */
  readonly under?: string | undefined;
  /** Milliseconds that a page may take. */
  readonly timeMs: number;
  readonly signal?: AbortSignal | undefined;
};

/** Where a text was found. */
export type WindowHit = {
  readonly threadId: ThreadId;
  readonly directive: string;
  readonly eventType: string;
  readonly sequence: number;
  readonly atMs: number;
  readonly snippet: string;
};

/** A page of hits, newest thread first; `next`: there is more to look through. */
export type WindowFound = {
  readonly hits: readonly WindowHit[];
  /** Threads that were looked through to their end. */
  readonly searched: number;
  readonly next: string | undefined;
  /** The thread that was to be looked below is archived, and with it its tree: nothing was looked through. */
  readonly isArchived?: true;
};

/** Where a page begins: below this thread, or in it after this event. */
type SearchPlace = { readonly thread: ThreadNo; readonly sequence: number };

const ROWS_A_PAGE = 100;

/** Hits of a page. */
const MOST_HITS = 100;

/** Looks through the logs of a project that are not archived, until there are enough hits or the time is over. */
export async function searchLogs(
  query: WindowQuery,
  { reader, clock }: { readonly reader: StoreReader; readonly clock: Pick<Clock, 'stopwatch'> },
): Promise<WindowFound> {
  checkCount('limit of a search', query.limit, MOST_HITS);
  const top = query.under === undefined ? undefined : requireRow(reader, query.under);
  if (top && isArchived(top, reader)) return { hits: [], searched: 0, next: undefined, isArchived: true };
  const isUnder = top && belowOf(top, reader);
  const text = query.text.toLowerCase();
  const until = clock.stopwatch() + query.timeMs;
  const isLate = (): boolean => clock.stopwatch() >= until || query.signal?.aborted === true;
  const hits: WindowHit[] = [];
  let searched = 0;
  let at = placeOf(query.cursor);
  const pause = createPauses();
  for (const row of rowsFrom(at.thread, reader)) {
    await pause();
    if (isLate()) return { hits, searched, next: cursorOf(at) };
    if (top && row.thread < top.thread) break;
    const from = row.thread === at.thread ? at.sequence : 0;
    at = { thread: row.thread, sequence: from };
    if (isUnder && !isUnder(row)) continue;
    for await (const lines of chunksOf(reader, row.thread, { from: from + 1 })) {
      if (isLate()) return { hits, searched, next: cursorOf(at) };
      for (const place of placesIn(lines, text)) {
        if (place.sequence <= at.sequence) continue;
        if (hits.length >= query.limit) return { hits, searched, next: cursorOf(at) };
        hits.push(toHit(place, row));
        at = { thread: row.thread, sequence: place.sequence };
      }
      // However long a log is, the next page begins after what was looked through.
      at = { thread: row.thread, sequence: lastSequence(lines) };
    }
    searched++;
  }
  return { hits, searched, next: undefined };
}

/** What is on its way into the archive is still there. */
function isArchived({ thread }: ThreadRow, reader: StoreReader): boolean {
  return reader.threads({ before: thread + 1, limit: 1 })[0]?.thread !== thread;
}

function* rowsFrom(thread: ThreadNo, reader: StoreReader): Generator<ThreadRow, void> {
  let before = thread + 1;
  for (;;) {
    const rows = reader.threads({ before, limit: ROWS_A_PAGE });
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    before = last.thread;
  }
}

/** Whether threads are at or below one; what is known of their parents is kept. */
function belowOf(top: ThreadRow, reader: StoreReader): (row: ThreadRow) => boolean {
  const known = new Map<ThreadNo, boolean>([[top.thread, true]]);
  const isBelow = (row: ThreadRow): boolean => {
    const told = known.get(row.thread);
    if (told !== undefined) return told;
    const parent = row.root === top.root && row.parent !== undefined ? reader.threadByNo(row.parent) : undefined;
    const is = parent !== undefined && isBelow(parent);
    known.set(row.thread, is);
    return is;
  };
  return isBelow;
}

function toHit({ event_type, sequence, time, snippet }: Place, { threadId, directive }: ThreadRow): WindowHit {
  return { threadId, directive, eventType: event_type, sequence, atMs: time, snippet };
}

function cursorOf({ thread, sequence }: SearchPlace): string {
  return `${thread}.${sequence}`;
}

/** @throws SkeinError `invalid_argument` */
function placeOf(cursor: string | undefined): SearchPlace {
  if (cursor === undefined) return { thread: Number.MAX_SAFE_INTEGER - 1, sequence: 0 };
  const [, thread, sequence] = /^(\d{1,16})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (thread === undefined) throw new SkeinError('invalid_argument', 'This is no cursor of a search');
  return { thread: Number(thread), sequence: Number(sequence) };
}
