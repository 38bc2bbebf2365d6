import type { SuspendReason } from '../../core/events.ts';
import type { StoreReader, ThreadRow } from '../../core/store.ts';
import { statusOf } from '../handle/create-handle.ts';
import { onThread, refused, type Operation, type OperationCall } from './operation.ts';
import { requireRuntime } from './require-runtime.ts';

/** Goes on with a suspended thread under its own id, and with one that has ended in a linked successor. */
export const resumeThread: Operation<'resume_thread'> = onThread(async (row, call) => {
  const { sources, input } = call;
  const last = sources.reader.chain(row.thread).at(-1) ?? row;
  const refusal = refuseForModel(last, call);
  if (refusal !== undefined) return refused('permission_denied', `Thread ${row.threadId} ${refusal}`);
  const runtime = requireRuntime(sources);
  const { message, limits } = input;
  const resumed = await runtime.resume(runtime.entry(last), { message, limits });
  if (!resumed.ok) return refused(resumed.failure.code, resumed.failure.message);
  const { lineage } = resumed.value;
  return {
    success: true,
    thread_id: lineage.threadId,
    status: statusOf(resumed.value),
    ...(lineage.threadId !== last.threadId && { continues: last.threadId }),
  };
});

/** Suspensions that are no person's decision. */
const OWN: ReadonlySet<SuspendReason | undefined> = new Set([undefined, 'error', 'shutdown']);

/** A model can't undo what a person has decided or is to decide. */
export function refuseForModel(
  row: ThreadRow,
  { isModel, sources, input }: Pick<OperationCall<'resume_thread'>, 'isModel' | 'sources' | 'input'>,
): string | undefined {
  if (!isModel) return undefined;
  if (input.limits) return 'keeps its limits: only a person can give it others';
  const { status, suspendReason: reason } = sources.standing(row);
  if (status === 'cancelled') return 'was cancelled: only a person can let it go on';
  if (status === 'error' && isDenied(row, sources.reader)) return 'was denied: only a person can let it go on';
  const isAsked = (): boolean => sources.reader.approvals({ thread: row.thread, status: 'pending' }).length > 0;
  if (status !== 'suspended' || (OWN.has(reason) && !isAsked())) return undefined;
  return `is suspended (${reason}): only a person can let it go on`;
}

/** Whether a denial has ended it: both are in one step. A call that is denied ends no thread. */
function isDenied({ thread, updatedAt }: ThreadRow, reader: StoreReader): boolean {
  const [last] = reader.approvals({ thread, limit: 1 });
  return last?.status === 'denied' && last.decidedAt === updatedAt;
}
