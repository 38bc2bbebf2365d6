import type { ThreadOutcome } from '../core/operations.ts';
import type { Approval, Approvals, Runtime, ThreadId } from '../index.ts';
import type { ApprovalsOrder } from './approvals-arguments.ts';
import type { CliIo } from './io.ts';
import { inRuntimeHere } from './runtime-here.ts';

/** What was decided, and how the thread stands by then. */
export type SettledHere = { readonly approval: Approval; readonly outcome?: ThreadOutcome };

type Settle = (order: ApprovalsOrder, approvals: Approvals) => Promise<Approval>;

/**
 * Answers in a runtime of this process, since no other holds the project, and shows on stderr what happens. It waits until
 * the thread, and whatever runs because of it, has ended or is suspended again.
 */
export async function settleHere(order: ApprovalsOrder, settle: Settle, io: CliIo): Promise<SettledHere> {
  return inRuntimeHere(order, io, async (runtime) => {
    const approval = await settle(order, runtime.approvals);
    // A thread that was denied has ended: that is what was asked for. One whose call was denied goes on.
    const { status } = await runtime.thread(approval.threadId).status();
    if (approval.status !== 'granted' && status === 'error') return { approval };
    await rested(approval.threadId as ThreadId, runtime);
    const aggregated = await runtime.orchestrator.call('aggregate_results', { thread_ids: [approval.threadId] });
    const [outcome] = 'results' in aggregated ? aggregated.results : [];
    return { approval, ...(outcome && { outcome }) };
  });
}

/** Until the thread and all that runs beside it rests. */
async function rested(thread: ThreadId, runtime: Runtime): Promise<void> {
  let ids: readonly string[] = [thread];
  while (ids.length > 0) {
    // What is listed are ids of this project's threads.
    const waited = await runtime.waitAll(ids as readonly ThreadId[]);
    if (waited.some(({ ending }) => ending?.error?.code === 'runtime_closed')) return;
    const active = await runtime.orchestrator.listActive();
    ids = 'activeThreads' in active ? active.activeThreads : [];
  }
}
