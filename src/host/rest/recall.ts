import { readEnding } from '../../core/ending.ts';
import type { WaitedThread } from '../../core/protocol.ts';
import type { StoreReader } from '../../core/store.ts';
import { isThreadId, type ThreadId } from '../../core/ids.ts';

/** How a thread stands that is not in memory: from its row (contracts, `wait_threads`). */
export function createRecall(reader: StoreReader): (threadId: string) => WaitedThread {
  return (id) => {
    const row = isThreadId(id) ? reader.thread(id) : undefined;
    if (!row) return notThere(id);
    const ending = readEnding(row.ending);
    const { threadId, cost, suspendReason } = row;
    if (ending) return { threadId, status: ending.status, ending };
    return { threadId, status: 'suspended', ending, cost, suspendReason };
  };
}

/** The answer for a thread that is not there, or that who asks may not know of: it names the id as asked for, whatever it is. */
export function notThere(id: string): WaitedThread {
  return { threadId: id as ThreadId, status: 'not_found', ending: undefined };
}
