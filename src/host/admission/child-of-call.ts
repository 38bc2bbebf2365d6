import { z } from 'zod';
import { toFailure } from '../../core/errors.ts';
import { decodeEvents, type StoredEvent } from '../../core/events.ts';
import type { ThreadId, ThreadNo } from '../../core/ids.ts';
import type { SpawnedChild } from '../../core/protocol.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import type { StoreReader } from '../../core/store.ts';

/**
 * The child that a call of its parent has spawned, by what the children were admitted with; nothing if the call did not come
 * so far. An id that a model uses twice is that of the younger call: a child that the parent's log tells of before its last
 * answer is an earlier one's. Asked for calls alone that a runtime's end interrupted.
 */
export function childOfCall(
  { thread, callId }: { readonly thread: ThreadNo; readonly callId: string },
  { reader }: { readonly reader: Pick<StoreReader, 'children' | 'spec' | 'logPage'> },
): Result<SpawnedChild | undefined> {
  try {
    const rows = reader.children(thread, { limit: Number.MAX_SAFE_INTEGER });
    // One that goes on from another was spawned by no call, though it has its spec; a wait for the other leads to it.
    const child = rows.findLast((row) => row.predecessor === undefined && callOf(row.thread, reader) === callId);
    if (child === undefined || isOfEarlierAnswer(thread, child.threadId, reader)) return ok(undefined);
    return ok({ threadId: child.threadId, directive: child.directive });
  } catch (thrown) {
    return failed(toFailure(thrown, 'store_corrupt'));
  }
}

/** Goes back through the log up to the child's start; one that it does not tell of yet is new. */
function isOfEarlierAnswer(thread: ThreadNo, childId: ThreadId, reader: Pick<StoreReader, 'logPage'>): boolean {
  let isAnswered = false;
  for (let page = reader.logPage(thread, LAST); ;) {
    const oldest = page.at(-1);
    if (!oldest) return false;
    for (const { lines } of page) {
      const hasAnswer = !isAnswered && lines.includes('"cognition_out"');
      if (!hasAnswer && !lines.includes(childId)) continue;
      for (const event of decodeEvents(lines).toReversed()) {
        if (startsChild(event, childId)) return isAnswered;
        isAnswered ||= event.event_type === 'cognition_out' && !event.payload.is_partial;
      }
    }
    page = reader.logPage(thread, { before: oldest.first });
  }
}

const LAST = { before: Number.MAX_SAFE_INTEGER };

function startsChild({ event_type: type, payload }: StoredEvent, childId: ThreadId): boolean {
  return type === 'child_thread_started' && payload.child_thread_id === childId;
}

const specSchema = z.object({ callId: z.string().optional() });

/** The call of its parent's model that spawned a thread; none did if a hook or the runtime itself has. */
export function callOf(thread: ThreadNo, reader: Pick<StoreReader, 'spec'>): string | undefined {
  const spec = reader.spec(thread);
  return spec === undefined ? undefined : specSchema.parse(JSON.parse(spec)).callId;
}
