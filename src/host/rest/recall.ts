import type { Ending } from '../../core/ending.ts';
import type { WaitedThread } from '../../core/protocol.ts';
import type { StoreReader } from '../../core/store.ts';
import { isThreadId, type ThreadId } from '../../core/ids.ts';

/** How a thread stands that is not in memory: from its row (contracts, `wait_threads`). */
export function createRecall(reader: StoreReader): (threadId: string) => WaitedThread {
  return (id) => {
    const row = isThreadId(id) ? reader.thread(id) : undefined;
    // The answer names the id as it was asked for, whatever it is.
    const threadId = id as ThreadId;
    if (!row) return { threadId, status: 'not_found', ending: undefined };
    const ending = row.ending === undefined ? undefined : (JSON.parse(row.ending) as Ending);
    return { threadId, status: ending?.status ?? 'suspended', ending };
  };
}
