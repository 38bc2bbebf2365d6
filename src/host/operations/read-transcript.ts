import { openEvents } from '../handle/event-feed.ts';
import { eventTypes } from '../../core/events.ts';
import type { OperationResult, ParsedInput } from '../../core/operations.ts';
import type { ThreadRow } from '../../core/store.ts';
import { cutEvent } from './cut-event.ts';
import { knownTypes } from './known-types.ts';
import { onThread, type Operation, type ThreadSources } from './operation.ts';
import { RECORD_NOTICE } from './record-notice.ts';
import { chunksOf } from './stored-threads.ts';

type Transcript = OperationResult<'read_transcript'>;
type Entry = Transcript['events'][number];

/** The last events of a thread as envelopes (S2 §7.2), no more of them than fit. */
export const readTranscript: Operation<'read_transcript'> = onThread(async (row, { input, sources }) => ({
  success: true,
  thread_id: row.threadId,
  notice: RECORD_NOTICE,
  ...(await readTail(row, input, sources)),
}));

/** Newest first through the log, no further than needed; of some types alone, the rest has to be counted. */
async function readTail(
  row: ThreadRow,
  { tail, types, max_bytes: maxBytes }: ParsedInput<'read_transcript'>,
  { reader, config }: ThreadSources,
): Promise<Pick<Transcript, 'events' | 'left_out'>> {
  const wanted = types && knownTypes(types, config);
  const found: Entry[] = [];
  let bytes = 0;
  let leftOut = 0;
  for await (const lines of chunksOf(reader, row.thread, 'newest first')) {
    if (leftOut > 0 || found.length >= tail) {
      if (!wanted) break;
      leftOut += countEvents(lines, wanted);
      continue;
    }
    for (const event of openEvents(lines, row.threadId, config).toReversed()) {
      if (wanted && !wanted.has(event.event_type)) continue;
      // At most a quarter of the space for one of them.
      const entry = cutEvent(event, Math.floor(maxBytes / 4));
      bytes += Buffer.byteLength(JSON.stringify(entry));
      const isFull = leftOut > 0 || found.length >= tail || (bytes > maxBytes && found.length > 0);
      if (isFull) leftOut++;
      else found.push(entry);
    }
  }
  const first = found.at(-1)?.sequence ?? 1;
  return { events: found.toReversed(), left_out: wanted ? leftOut : first - 1 };
}

function countEvents(lines: string, wanted: ReadonlySet<string>): number {
  let count = 0;
  for (const type of eventTypes(lines)) if (wanted.has(type)) count++;
  return count;
}
