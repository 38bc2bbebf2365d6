import type { ApprovalPayload } from '../core/approval-operations.ts';
import type { Approvals, ThreadId } from '../index.ts';
import type { SettleOrder } from './approvals-arguments.ts';
import type { CliIo } from './io.ts';
import { meetSuspended } from './meet-suspended.ts';
import { inRuntimeHere } from './runtime-here.ts';
import { outcomeBefore, storedOutcome, type SettledOutcome } from './stored-outcome.ts';
import { untilTreeRests } from './whole-tree.ts';

/** What was decided, and how the thread stands by then. */
export type SettledHere = { readonly approval: ApprovalPayload } & SettledOutcome;

type Settle = (order: SettleOrder, approvals: Approvals) => Promise<ApprovalPayload>;

/**
 * Answers in a runtime of this process, since no other holds the project, and shows on stderr what happens. It waits until
 * the thread, and whatever runs because of it, has ended or is suspended again.
 */
export async function settleHere(order: SettleOrder, settle: Settle, io: CliIo): Promise<SettledHere> {
  const { approval, ...left } = await inRuntimeHere(order, io, async (runtime, { interrupts, show }) => {
    meetSuspended(runtime, show);
    const settled = await settle(order, runtime.approvals);
    // A thread that was denied has ended: that is what was asked for. One whose call was denied goes on.
    const { status } = await runtime.thread(settled.thread_id).status();
    if (settled.status !== 'granted' && status === 'error') return { approval: settled };
    const id = settled.thread_id as ThreadId; // the runtime has it from an id
    await untilTreeRests(runtime, { top: id, say: (line) => show.say(line) });
    return { approval: settled, before: await outcomeBefore(id, runtime), interrupted: interrupts.seen() };
  });
  if (left.interrupted === undefined) return { approval };
  return { approval, ...(await storedOutcome(approval.thread_id, { ...order, ...left }, io)) };
}
