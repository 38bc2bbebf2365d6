import { onThread, type Operation } from './operation.ts';
import { chainOf } from './stored-threads.ts';
import { summaryOf } from './thread-summary.ts';

/** Predecessors, the thread itself and its successors, in order. */
export const getChain: Operation<'get_chain'> = onThread((row, { sources }) => ({
  success: true,
  thread_id: row.threadId,
  chain: chainOf(sources.reader, row).map((one) => summaryOf(one, sources)),
}));
