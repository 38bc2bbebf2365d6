import { onThread, refused, type Operation } from './operation.ts';
import { requireRuntime } from './require-runtime.ts';
import { refuseForModel } from './resume-thread.ts';
import { successorsOf } from './stored-threads.ts';

/**
 * A successor takes over from a thread at its next step; a suspended one goes on for that. The embedder and people hear who
 * it is. A thread that asks hears that it is on its way: it may hold the slot that the step needs.
 */
export const handoffThread: Operation<'handoff_thread'> = onThread(async (row, call) => {
  const { sources, caller } = call;
  const last = successorsOf(sources.reader, row).at(-1) ?? row;
  const refusal = refuseForModel(last, call);
  if (refusal !== undefined) return refused('permission_denied', `Thread ${row.threadId} ${refusal}`);
  const runtime = requireRuntime(sources);
  const asked = await runtime.handOver(runtime.entry(last), { wait: caller === undefined });
  if (!asked.ok) return refused(asked.failure.code, asked.failure.message);
  const successor = asked.value?.lineage.threadId;
  return { success: true, thread_id: row.threadId, ...(successor !== undefined && { successor }) };
});
