import type { CostPayload } from './cost-payload.ts';
import type { SuspendReason } from './events.ts';
import type { Failure } from './errors.ts';
import type { ThreadId } from './ids.ts';

/** What `thread_directive` gives; the keys are S2's. */
export type ThreadReturn = Readonly<Record<string, unknown>>;

/** How a thread that was waited for stands; `Spent` is what its holder counts its cost in, so far or at its end. */
export type WaitedFor<Status extends string, Spent> = {
  readonly status: Status;
  readonly ending:
    | {
        readonly outputs: Readonly<Record<string, unknown>> | undefined;
        readonly text: string;
        readonly error: Failure | undefined;
        readonly cost: Spent;
      }
    | undefined;
  readonly cost?: Spent;
  readonly suspendReason?: SuspendReason | undefined;
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

/** What {@link syncReturn} makes; `outputs` is there once the thread has ended, `cost` unless nobody knows it. */
export type SyncReturn<Id extends string, Status extends string> = {
  readonly success: boolean;
  readonly thread_id: Id;
  readonly result: Readonly<Record<string, unknown>> | string | null;
  readonly status: Status;
  readonly outputs?: Readonly<Record<string, unknown>> | null;
  readonly cost?: CostPayload;
  readonly error: string | null;
};

/** S2 §6.8 `SYNC_RETURN`, without `directive`; also an entry of §6.11's `results`. */
export function syncReturn<Id extends string, Status extends string, Spent>(
  threadId: Id,
  { status, ending, cost: spent = ending?.cost, suspendReason }: WaitedFor<Status, Spent>,
  costOf: (spent: Spent) => CostPayload,
): SyncReturn<Id, Status> {
  return {
    success: status === 'completed',
    thread_id: threadId,
    result: ending?.outputs ?? ending?.text ?? null,
    status,
    ...(ending && { outputs: ending.outputs ?? null }),
    ...(spent !== undefined && { cost: costOf(spent) }),
    error: ending?.error?.message ?? (suspendReason === undefined ? null : `suspended: ${suspendReason}`),
  };
}
