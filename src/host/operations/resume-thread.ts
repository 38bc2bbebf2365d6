import { isEnded } from '../../core/ending.ts';
import type { SuspendReason } from '../../core/events.ts';
import type { ThreadRow } from '../../core/store.ts';
import { onThread, refused, type Operation, type OperationCall } from './operation.ts';
import { requireRuntime } from './require-runtime.ts';
import { continueInSuccessor } from './succession.ts';
import { summaryOf } from './thread-summary.ts';

/** Goes on with a suspended thread under its own id; an ended one would be continued by a successor. */
export const resumeThread: Operation<'resume_thread'> = onThread(async (row, call) => {
  const { sources, input } = call;
  const { status } = sources.standing(row);
  if (isEnded(status)) return continueInSuccessor(row);
  const refusal = refuseForThread(row, call);
  if (refusal !== undefined) return refused('permission_denied', `Thread ${row.threadId} ${refusal}`);
  const runtime = requireRuntime(sources);
  const resumed = await runtime.resume(runtime.entry(row), input.message);
  if (!resumed.ok) return refused(resumed.failure.code, resumed.failure.message);
  return { success: true, thread_id: row.threadId, status: summaryOf(row, sources).status };
});

/** Suspensions that are no person's decision. */
const OWN: ReadonlySet<SuspendReason | undefined> = new Set([undefined, 'error', 'shutdown']);

/** A model can't undo what a person has decided or is to decide. */
function refuseForThread(row: ThreadRow, { caller, sources }: OperationCall<'resume_thread'>): string | undefined {
  if (caller === undefined) return undefined;
  const { suspendReason: reason } = sources.standing(row);
  const isAsked = (): boolean => sources.reader.approvals({ thread: row.thread, status: 'pending' }).length > 0;
  if (OWN.has(reason) && !isAsked()) return undefined;
  return `is suspended (${reason}): only a person can let it go on`;
}

/** A successor takes over from a thread. */
export const handoffThread: Operation<'handoff_thread'> = onThread((row) => continueInSuccessor(row));
