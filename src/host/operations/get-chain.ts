import { onThread, type Operation } from './operation.ts';
import { summaryOf } from './thread-summary.ts';

/** Predecessors, the thread itself and its successors, in order. */
export const getChain: Operation<'get_chain'> = onThread((row, { sources }) => ({
  success: true,
  thread_id: row.threadId,
  chain: sources.reader.chain(row.thread).map((one) => summaryOf(one, sources)),
}));
