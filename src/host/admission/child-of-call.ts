import { z } from 'zod';
import { decodeEvents } from '../../core/events.ts';
import type { ThreadId, ThreadNo } from '../../core/ids.ts';
import type { SpawnedChild } from '../../core/protocol.ts';
import { attempt, type Result } from '../../core/result.ts';
import type { StoreReader, ThreadRow } from '../../core/store.ts';

type Reader = Pick<StoreReader, 'thread' | 'children' | 'spec' | 'logPage'>;

/**
 * The child that a call of its parent has spawned, by what the children were admitted with; nothing if the call did not come
 * so far. An id that a model uses twice is that of the younger call: a child that the parent's log tells of before its last
 * answer is an earlier one's. Asked for a call alone that was cut off, and for a compaction.
 */
export function childOfCall(
  { thread, callId }: { readonly thread: ThreadNo; readonly callId: string },
  { reader }: { readonly reader: Reader },
): Result<SpawnedChild | undefined> {
  return attempt(() => {
    const rows = latestChildren(thread, reader);
    // One that goes on from another was spawned by no call, though it has its spec; a wait for the other leads to it.
    const child = rows.findLast((row) => row.predecessor === undefined && callOf(row.thread, reader) === callId);
    if (child === undefined || isOfEarlierAnswer(thread, child.threadId, reader)) return undefined;
    return { threadId: child.threadId, directive: child.directive };
  }, 'store_corrupt');
}

/** Of so many children the spec of each may be looked into. */
const FEW = 25;

/**
 * Children of a parent, oldest first. Of many, those that were admitted after one that was there before the parent's last answer:
 * what a call of that answer has spawned is among them.
 */
function latestChildren(thread: ThreadNo, reader: Reader): readonly ThreadRow[] {
  const some = reader.children(thread, { limit: FEW + 1 });
  if (some.length <= FEW) return some;
  const after = earlierChild(thread, reader)?.thread;
  return reader.children(thread, { limit: Number.MAX_SAFE_INTEGER, ...(after !== undefined && { after }) });
}

function earlierChild(thread: ThreadNo, reader: Reader): ThreadRow | undefined {
  for (const { childId, isEarlier } of startsOf(thread, '"child_thread_started"', reader))
    if (isEarlier) return reader.thread(childId);
  return undefined;
}

/** Goes back through the log up to the child's start; one that it does not tell of yet is new. */
function isOfEarlierAnswer(thread: ThreadNo, childId: ThreadId, reader: Reader): boolean {
  for (const start of startsOf(thread, childId, reader)) if (start.childId === childId) return start.isEarlier;
  return false;
}

/** `isEarlier`: the parent has answered since. */
type Start = { readonly childId: ThreadId; readonly isEarlier: boolean };

/** The starts of children that a log tells of, newest first; among them all with this text in their lines. */
function* startsOf(thread: ThreadNo, text: string, reader: Reader): Generator<Start, void> {
  let isEarlier = false;
  for (let page = reader.logPage(thread, LAST); ;) {
    const oldest = page.at(-1);
    if (!oldest) return;
    for (const { lines } of page) {
      const hasAnswer = !isEarlier && lines.includes('"cognition_out"');
      if (!hasAnswer && !lines.includes(text)) continue;
      for (const event of decodeEvents(lines).toReversed()) {
        if (event.event_type === 'child_thread_started') yield { childId: event.payload.child_thread_id, isEarlier };
        isEarlier ||= event.event_type === 'cognition_out' && !event.payload.is_partial;
      }
    }
    page = reader.logPage(thread, { before: oldest.first });
  }
}

const LAST = { before: Number.MAX_SAFE_INTEGER };

const specSchema = z.object({ callId: z.string().optional() });

/** The call of its parent's model that spawned a thread; none did if a hook or the runtime itself has. */
function callOf(thread: ThreadNo, reader: Pick<StoreReader, 'spec'>): string | undefined {
  const spec = reader.spec(thread);
  return spec === undefined ? undefined : specSchema.parse(JSON.parse(spec)).callId;
}
