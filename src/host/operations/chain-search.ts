import { escapeJson } from '../../core/escape-json.ts';
import { decodeEvents, type StoredEvent } from '../../core/events.ts';
import type { OperationResult } from '../../core/operations.ts';
import type { ThreadRow } from '../../core/store.ts';
import { onThread, type Operation, type ThreadSources } from './operation.ts';
import { RECORD_NOTICE } from './record-notice.ts';
import { chunksOf } from './stored-threads.ts';

type Hit = OperationResult<'chain_search'>['hits'][number];

/** Finds a text in the events of a thread, its predecessors and successors, without regard to case. */
export const chainSearch: Operation<'chain_search'> = onThread(async (row, { input, sources }) => {
  const hits: Hit[] = [];
  // One more than is given: then there are more.
  for await (const hit of searchChain(row, input.query.toLowerCase(), sources)) {
    hits.push(hit);
    if (hits.length > input.limit) break;
  }
  return {
    success: true,
    thread_id: row.threadId,
    notice: RECORD_NOTICE,
    hits: hits.slice(0, input.limit),
    more: hits.length > input.limit,
  };
});

async function* searchChain(row: ThreadRow, query: string, { reader }: ThreadSources): AsyncGenerator<Hit, void> {
  for (const { thread, threadId } of reader.chain(row.thread)) {
    for await (const lines of chunksOf(reader, thread, 'oldest first')) {
      for (const { event_type, sequence, snippet } of placesIn(lines, query)) {
        yield { thread_id: threadId, event_type, sequence, snippet };
      }
    }
  }
}

/** An event that has the text, with some of what is around it. */
export type Place = Pick<StoredEvent, 'event_type' | 'sequence' | 'time'> & { readonly snippet: string };

/** Where a text, given in lower case, stands in a chunk of a log. */
export function* placesIn(lines: string, query: string): Generator<Place, void> {
  // Texts in the log are JSON.
  if (!lines.toLowerCase().includes(escapeJson(query))) return;
  for (const event of decodeEvents(lines)) {
    const { event_type, sequence, time } = event;
    const snippet = snippetOf(event, query);
    if (snippet !== undefined) yield { event_type, sequence, time, snippet };
  }
}

/** Where the first text of an event that has the query has it. */
function snippetOf({ payload }: StoredEvent, query: string): string | undefined {
  for (const text of textsIn(payload)) {
    const at = text.toLowerCase().indexOf(query);
    if (at !== -1) return around(text, at, query.length);
  }
  return undefined;
}

function* textsIn(value: unknown): Generator<string, void> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) yield* textsIn(each);
}

/** Characters shown on each side. */
const AROUND = 80;

function around(text: string, at: number, length: number): string {
  const start = Math.max(0, at - AROUND);
  const end = Math.min(text.length, at + length + AROUND);
  const shown = text.slice(start, end).toWellFormed();
  return `${start > 0 ? '…' : ''}${shown}${end < text.length ? '…' : ''}`;
}
