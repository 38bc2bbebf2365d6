import { isEnded } from '../../core/ending.ts';
import { statusOf } from '../handle/create-handle.ts';
import { onThread, refused, type Operation } from './operation.ts';
import { requireRuntime } from './require-runtime.ts';

/** Suspends a thread, or the last of those that took over from it, as its owner may; waits a moment for it to rest. */
export const suspendThread: Operation<'suspend_thread'> = onThread(async (row, { sources }) => {
  const runtime = requireRuntime(sources);
  const entry = runtime.entry(sources.reader.chain(row.thread).at(-1) ?? row);
  if (entry.phase === 'ended') return refused('thread_ended', `Thread ${row.threadId} has ended already`);
  const rested = await runtime.suspend(entry);
  if (!rested.ok) return refused(rested.failure.code, rested.failure.message);
  const status = statusOf(rested.value);
  // It may have ended on the way there.
  if (isEnded(status)) return refused('thread_ended', `Thread ${row.threadId} has ended (${status})`);
  return { success: true, thread_id: rested.value.lineage.threadId, status };
});
