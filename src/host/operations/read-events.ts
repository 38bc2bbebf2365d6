import { isEnded } from '../../core/ending.ts';
import { fromFailure } from '../../core/errors.ts';
import { eventLines } from '../../core/events.ts';
import type { OperationResult, ParsedInput } from '../../core/operations.ts';
import { attempt } from '../../core/result.ts';
import type { ThreadRow } from '../../core/store.ts';
import { openEvents } from '../handle/event-feed.ts';
import { NO_NEWS } from '../handle/news.ts';
import { knownTypes } from './known-types.ts';
import { onThread, type Operation, type ThreadSources } from './operation.ts';
import { chunksOf } from './stored-threads.ts';

type Answer = OperationResult<'read_events'>;
type Input = ParsedInput<'read_events'>;

/** A page of a thread's log; if there is nothing yet, waits for news for as long as was asked. */
export const readEvents: Operation<'read_events'> = onThread(async (row, { input, signal, sources }) => {
  // From here on: what is stored while the page is read is news, too.
  const news = input.wait > 0 ? sources.news(row) : NO_NEWS;
  try {
    const page = await readPage(row, input, sources);
    if (page.last > input.after || page.ended || input.wait === 0) return page;
    await news.within(input.wait * 1000, signal);
    return await readPage(row, input, sources);
  } finally {
    news.stop();
  }
});

async function readPage(asked: ThreadRow, input: Input, sources: ThreadSources): Promise<Answer> {
  const { reader } = sources;
  // Before the log: the last event of a thread that has ended by now is there.
  const row = reader.threadByNo(asked.thread) ?? asked;
  const successor = row.status === 'continued' ? row.successor : undefined;
  const heir = successor === undefined ? undefined : reader.threadByNo(successor);
  return {
    success: true,
    thread_id: row.threadId,
    ...(await readLog(row, input, sources)),
    ended: isEnded(row.status),
    status: sources.standing(row).status,
    ...(heir && { continued_as: heir.threadId }),
  };
}

async function readLog(
  { thread, threadId }: ThreadRow,
  { after, types, max_bytes: most }: Input,
  { reader, config }: ThreadSources,
): Promise<Pick<Answer, 'events' | 'last' | 'more'>> {
  const wanted = types && knownTypes(types, config);
  const events: Answer['events'] = [];
  let last = after;
  let bytes = 0;
  for await (const lines of chunksOf(reader, thread, { from: after + 1 })) {
    // A step may be much longer than a page: of it nothing is parsed but what the page has.
    for (const { sequence, type, line } of eventLines(lines)) {
      if (sequence <= last) continue;
      const isLeftOut = type !== undefined && wanted?.has(type) === false;
      const opened = attempt(() => (isLeftOut ? [] : openEvents(line, threadId, config)));
      // What stands before damage is given; what was asked for from there on is refused.
      if (!opened.ok && last > after) return { events, last, more: true };
      if (!opened.ok) throw fromFailure(opened.failure);
      const [event] = opened.value;
      // What is looked at and is not wanted takes its time as well.
      const size = Buffer.byteLength(event ? JSON.stringify(event) : line);
      if (bytes > 0 && bytes + size > most) return { events, last, more: true };
      bytes += size;
      last = event?.sequence ?? sequence;
      if (event) events.push(event);
    }
  }
  return { events, last, more: false };
}
