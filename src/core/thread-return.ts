import type { CostPayload } from './events.ts';
import type { Failure } from './errors.ts';
import type { ThreadId } from './ids.ts';

/** What `thread_directive` gives; the keys are S2's. */
export type ThreadReturn = Readonly<Record<string, unknown>>;

/** How a thread that was waited for stands; `Spent` is what its holder counts its cost in. */
export type WaitedFor<Spent> = {
  readonly status: string;
  readonly ending:
    | {
        readonly outputs: Readonly<Record<string, unknown>> | undefined;
        readonly text: string;
        readonly error: Failure | undefined;
        readonly cost: Spent;
      }
    | undefined;
};

/** S2 §3 and §6.8 `ASYNC_RETURN`: a thread that runs on while its caller does. */
export function asyncReturn(threadId: ThreadId, directive: string): ThreadReturn {
  return {
    success: true,
    thread_id: threadId,
    status: 'running',
    directive,
    control: {
      wait: `orchestrator.wait_threads(['${threadId}'])`,
      cancel: `state_store.request_cancel('${threadId}')`,
      status: `registry.get_status('${threadId}')`,
    },
  };
}

/** S2 §6.8 `SYNC_RETURN`, without `directive`; also an entry of §6.11's `results`. */
export function syncReturn<Spent>(
  threadId: string,
  waited: WaitedFor<Spent> | undefined,
  costOf: (spent: Spent) => CostPayload,
): ThreadReturn {
  const ending = waited?.ending;
  return {
    success: waited?.status === 'completed',
    thread_id: threadId,
    result: ending?.outputs ?? ending?.text ?? null,
    status: waited?.status ?? 'not_found',
    ...(ending && { outputs: ending.outputs ?? null, cost: costOf(ending.cost) }),
    error: ending?.error?.message ?? null,
  };
}
