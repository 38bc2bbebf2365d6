import type { ThreadNo } from '../core/ids.ts';
import type { InWorker } from './conversation/conversation.ts';
import { costOf } from './cost.ts';
import { begunBy, deadlineOf, stopDeadline } from './steps/deadline.ts';
import type { Services } from './services/services.ts';
import type { ThreadInState } from './tell-thread.ts';

/** How a thread is found that is to leave, and the host told. */
export type Leaving = {
  readonly find: (thread: ThreadNo) => ThreadInState | undefined;
  readonly report: Services['report'];
};

/**
 * Takes a thread out of its worker that does nothing but wait for others (ADR 46), once all there is to know of it is on disk.
 * Its log says nothing of it: it waits, wherever it is. The host tells it nothing from the order to the answer; if it has got
 * something to do by itself meanwhile, it stays.
 */
export function leaveWorker(no: ThreadNo, { find, report }: Leaving): void {
  const stay = (): void => report({ type: 'stays', thread: no });
  const before = find(no);
  if (!before || !isOnlyWaiting(before)) return stay();
  const { thread, services } = before;
  thread.checkpointDue = true;
  services.journal.commit(thread, {}, () => {
    const after = find(no);
    if (after?.thread !== thread || !isOnlyWaiting(after) || thread.lines !== '') return stay();
    leave(after);
  });
}

/**
 * What its rows don't say is that it has gone on with another model, and what the items of a prompt that is a log were: it
 * keeps that as long as it is here.
 */
function isOnlyWaiting({ thread, state }: ThreadInState): boolean {
  const { suspendRequest, handOverAsked, hookActions, fallbacksUsed, assembly } = thread;
  const isAsked = suspendRequest !== undefined || handOverAsked;
  const isKept = fallbacksUsed > 0 || assembly?.policyName === 'append-only';
  return state === 'running.waitingForChildren' && !isAsked && !hookActions?.size && !isKept;
}

function leave({ thread, services }: InWorker): void {
  begunBy(thread, services.clock.now());
  const { lineage, sequence, startedAt, toolRun } = thread;
  // Without a timer its duration was waived; one that is over has it all the same.
  const deadline = thread.deadline === undefined ? undefined : deadlineOf(thread);
  services.report({ type: 'left', thread: lineage.thread, sequence, cost: costOf(thread), startedAt, deadline });
  thread.toolRun = undefined;
  // After that the host knows that nobody here waits for an answer: it keeps the waits.
  for (const call of toolRun?.running?.values() ?? []) call?.abort();
  stopDeadline(thread, services);
  services.forget(thread);
  services.leave(thread);
}
