import { onThread, type Operation } from './operation.ts';

/** The state of a thread's machine, if a worker has it. */
export const inspectThread: Operation<'inspect_thread'> = onThread(async (row, { sources }) => {
  const state = await sources.runtime?.machineState(row);
  return { success: true, thread_id: row.threadId, ...(state !== undefined && { state }) };
});
