import { decodeEvents, type EventPayloads, type StoredEvent } from '../../core/events.ts';
import { isThreadId } from '../../core/ids.ts';
import type { StoreReader, ThreadRow } from '../../core/store.ts';

/*
 * What the operations ask the store beyond single rows. The only place that knows how this is found: a store with
 * queries for it needs other code here and nowhere else.
 */

/** A page of a thread's children, oldest first, from the one that follows `after`; one more than `limit` if there is. */
export function childrenOf(
  reader: StoreReader,
  { thread }: ThreadRow,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): readonly ThreadRow[] {
  const all = reader.threads({ parent: thread, limit: Number.MAX_SAFE_INTEGER }).toReversed();
  const start = after === undefined ? 0 : all.findIndex(({ threadId }) => threadId === after) + 1;
  return all.slice(start, start + limit + 1);
}

/** Predecessors, the thread itself and its successors, in order. */
export function chainOf(reader: StoreReader, row: ThreadRow): readonly ThreadRow[] {
  return [...predecessorsOf(reader, row), row, ...successorsOf(reader, row)];
}

/** Those that handed over to a thread, first one first. */
export function predecessorsOf(reader: StoreReader, row: ThreadRow): readonly ThreadRow[] {
  const found: ThreadRow[] = [];
  // A successor has a higher number: no damaged log can lead in a circle.
  for (let at = predecessorOf(reader, row); at && at.thread < row.thread; at = predecessorOf(reader, at)) {
    if (found[0] && at.thread >= found[0].thread) break;
    found.unshift(at);
  }
  return found;
}

/** Those that took over from a thread, in order. */
export function successorsOf(reader: StoreReader, row: ThreadRow): readonly ThreadRow[] {
  const found: ThreadRow[] = [];
  let last = row;
  for (let at = successorOf(reader, last); at && at.thread > last.thread; at = successorOf(reader, last)) {
    found.push(at);
    last = at;
  }
  return found;
}

function predecessorOf(reader: StoreReader, { thread }: ThreadRow): ThreadRow | undefined {
  const [first = ''] = reader.events(thread);
  const started = decodeEvents(first).find(({ event_type }) => event_type === 'thread_started');
  // Only a successor's event has it.
  const { continues } = (started?.payload ?? {}) as { readonly continues?: unknown };
  return typeof continues === 'string' && isThreadId(continues) ? reader.thread(continues) : undefined;
}

function successorOf(reader: StoreReader, { thread, status }: ThreadRow): ThreadRow | undefined {
  if (status !== 'continued') return undefined;
  const continued = lastEvent(reader, thread, ({ event_type }) => event_type === 'thread_continued');
  return continued?.event_type === 'thread_continued' ? reader.thread(continued.payload.successor) : undefined;
}

/** The approval a suspended thread waits for, if it is one. */
export function pendingApproval(
  reader: StoreReader,
  thread: number,
): Omit<EventPayloads['approval_requested'], 'suspend_reason' | 'point'> | undefined {
  const last = lastEvent(reader, thread, ({ event_type }) => DECIDES.has(event_type));
  if (last?.event_type !== 'approval_requested') return undefined;
  // The rest is said elsewhere, or the runtime's own.
  const { suspend_reason: _reason, point: _point, ...approval } = last.payload;
  return approval;
}

/** Events after which a thread waits for an approval, or no longer. */
const DECIDES: ReadonlySet<string> = new Set(['approval_requested', 'approval_resolved', 'thread_resumed']);

function lastEvent(
  reader: StoreReader,
  thread: number,
  matches: (event: StoredEvent) => boolean,
): StoredEvent | undefined {
  for (const lines of reader.events(thread).toReversed()) {
    const found = decodeEvents(lines).findLast(matches);
    if (found) return found;
  }
  return undefined;
}
