import type { ParsedInput } from '../../core/operations.ts';
import { statusOf } from '../handle/create-handle.ts';
import type { ForkOptions } from '../project/fork-options.ts';
import { onThread, refused, type Operation } from './operation.ts';
import { requireRuntime } from './require-runtime.ts';

/** Begins another thread with the conversation of one up to an event. A model could leave its limits by it. */
export const forkThread: Operation<'fork_thread'> = onThread(async (row, { sources, input, isModel }) => {
  if (isModel) return refused('not_available', 'fork_thread is not for models');
  // What is undefined is not on the wire; what a limit may be is checked where it is resolved.
  const { at, inputs, limits } = input as ParsedInput<'fork_thread'> & ForkOptions;
  const forked = await requireRuntime(sources).fork(row, { at, inputs, limits });
  if (!forked.ok) return refused(forked.failure.code, forked.failure.message);
  const { lineage } = forked.value;
  return { success: true, thread_id: lineage.threadId, status: statusOf(forked.value), forked_from: row.threadId };
});
