import { lastSequence } from '../../core/events.ts';
import type { StoreReader, ThreadRow } from '../../core/store.ts';
import type { LogPlace } from '../../core/store-log.ts';
import { createPauses } from './pauses.ts';

/** Those before a thread, first one first. */
export function predecessorsOf(reader: StoreReader, { thread, predecessor }: ThreadRow): readonly ThreadRow[] {
  if (predecessor === undefined) return [];
  const chain = reader.chain(thread);
  return chain.slice(
    0,
    chain.findIndex((one) => one.thread === thread),
  );
}

/** Those that took over from a thread, in order; one that was resumed after its end keeps its own. */
export function successorsOf(reader: StoreReader, row: ThreadRow): readonly ThreadRow[] {
  const found: ThreadRow[] = [];
  for (let at = row; at.status === 'continued' && at.successor !== undefined;) {
    const next = reader.threadByNo(at.successor);
    if (!next) break;
    found.push(next);
    at = next;
  }
  return found;
}

/** The chunks of a thread's log, all of them or those from a sequence number on, a page at a time: others have their turn between them. */
export async function* chunksOf(reader: StoreReader, thread: number, order: LogOrder): AsyncGenerator<string, void> {
  const pause = createPauses();
  let place = beginningOf(order);
  for (;;) {
    const page = reader.logPage(thread, place);
    const last = page.at(-1);
    if (!last) return;
    for (const { lines } of page) {
      await pause();
      yield lines;
    }
    place = 'before' in place ? { before: last.first } : { after: last.first };
  }
}

/** The number of the last event of a thread's log; 0 if it has none. */
export function lastSequenceOf(reader: StoreReader, thread: number): number {
  const [last] = reader.logPage(thread, { before: Number.MAX_SAFE_INTEGER, chunks: 1 });
  return last ? lastSequence(last.lines) : 0;
}

/** From which end, from which event on, or from one backwards. */
type LogOrder = 'oldest first' | 'newest first' | Exclude<LogPlace, { readonly after: number }>;

function beginningOf(order: LogOrder): LogPlace {
  if (typeof order === 'object') return order;
  return order === 'oldest first' ? { after: 0 } : { before: Number.MAX_SAFE_INTEGER };
}
