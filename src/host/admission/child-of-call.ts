import { z } from 'zod';
import { toFailure } from '../../core/errors.ts';
import type { ThreadNo } from '../../core/ids.ts';
import type { SpawnedChild } from '../../core/protocol.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import type { StoreReader } from '../../core/store.ts';

/**
 * The child that a call of its parent has spawned, by what the children were admitted with; nothing if the call did not come
 * so far. An id that a model uses twice is that of the younger one. Asked for calls alone that a runtime's end interrupted.
 */
export function childOfCall(
  { thread, callId }: { readonly thread: ThreadNo; readonly callId: string },
  { reader }: { readonly reader: Pick<StoreReader, 'children' | 'spec'> },
): Result<SpawnedChild | undefined> {
  try {
    const rows = reader.children(thread, { limit: Number.MAX_SAFE_INTEGER });
    const child = rows.findLast((row) => callOf(row.thread, reader) === callId);
    return ok(child && { threadId: child.threadId, directive: child.directive });
  } catch (thrown) {
    return failed(toFailure(thrown, 'store_corrupt'));
  }
}

const specSchema = z.object({ callId: z.string().optional() });

/** The call of its parent's model that spawned a thread; none did if a hook or the runtime itself has. */
export function callOf(thread: ThreadNo, reader: Pick<StoreReader, 'spec'>): string | undefined {
  const spec = reader.spec(thread);
  return spec === undefined ? undefined : specSchema.parse(JSON.parse(spec)).callId;
}
