import { isEnded } from '../core/ending.ts';
import { toFailure } from '../core/errors.ts';
import { syncReturn } from '../core/thread-return.ts';
import type { Runtime, ThreadHandle, ThreadId } from '../index.ts';
import { usagePayload } from './usage-payload.ts';

/** What the orchestrator is asked (S2 §6.11). */
export type Orchestration = {
  readonly operation: 'wait_threads' | 'cancel_thread' | 'get_status' | 'list_active';
  readonly threadIds: readonly ThreadId[];
  readonly threadId: string;
  readonly timeoutMs: number;
  readonly failFast: boolean;
};

type Answer = Readonly<Record<string, unknown>>;

const MAX_LISTED = 1000;

/** The operations of the orchestrator by the public API; an unknown thread is an answer, not an error. */
export async function orchestrate(runtime: Runtime, asked: Orchestration): Promise<Answer> {
  switch (asked.operation) {
    case 'wait_threads':
      return waitThreads(runtime, asked);
    case 'list_active': {
      const active = runtime.list({ status: ['created', 'running'], limit: MAX_LISTED }).map(({ id }) => id);
      return { success: true, active_threads: active, count: active.length };
    }
    case 'get_status':
    case 'cancel_thread': {
      const thread = findThread(runtime, asked.threadId);
      if (!thread) return notFound(asked.threadId);
      const { status } = await thread.status();
      if (asked.operation === 'get_status') return { success: true, thread_id: thread.id, status };
      if (isEnded(status)) return notFound(asked.threadId);
      await thread.cancel('cancelled by orchestrator');
      return { success: true, cancelled: thread.id };
    }
  }
}

async function waitThreads(runtime: Runtime, { threadIds, timeoutMs, failFast }: Orchestration): Promise<Answer> {
  const waits = await runtime.waitAll(threadIds, { timeoutMs, failFast });
  const results = waits.map((wait) => syncReturn(wait.id, wait, usagePayload));
  return { success: waits.every(({ status }) => status === 'completed'), results };
}

function findThread(runtime: Runtime, id: string): ThreadHandle | undefined {
  try {
    return runtime.thread(id);
  } catch (thrown) {
    if (toFailure(thrown).code === 'thread_not_found') return undefined;
    throw thrown;
  }
}

function notFound(id: string): Answer {
  return { success: false, error: `Thread not found: ${id}`, code: 'thread_not_found' };
}
