import { isEnded } from '../../core/ending.ts';
import type { OperationRefusal } from '../../core/operations.ts';
import type { ThreadRow } from '../../core/store.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { onThread, refused, type Operation, type OperationCall, type RunningThreads } from './operation.ts';
import { requireRuntime } from './require-runtime.ts';
import { successorsOf } from './stored-threads.ts';

/**
 * Ends a thread, and of its subtree what the child policy says. Of a thread that handed over, the last successor is meant:
 * the others have ended. A thread that asks hears that it is on its way: it may hold the slot that an ending needs.
 */
export const cancelThread: Operation<'cancel_thread'> = onThread(async (row, call) => {
  const runtime = requireRuntime(call.sources);
  const last = successorsOf(call.sources.reader, row).at(-1) ?? row;
  const entry = runtime.entry(last);
  if (entry.phase === 'ended') return alreadyEnded(last, call);
  runtime.cancel(entry, `cancelled by ${whoAsks(call)}`);
  const failure = call.caller === undefined ? await cancelledEnded(entry, runtime) : undefined;
  return failure ?? { success: true, cancelled: row.threadId };
});

/** Ends a thread, its successors, and everything below them; what has ended on the way there is passed through. */
export const killThread: Operation<'kill_thread'> = onThread(async (row, call) => {
  const runtime = requireRuntime(call.sources);
  const roots = [row, ...successorsOf(call.sources.reader, row)].map((one) => runtime.entry(one));
  const threads = await runtime.kill(roots, `killed by ${whoAsks(call)}`);
  if (threads === 0) return alreadyEnded(row, call);
  const failure = call.caller === undefined ? await allEnded(() => liveBelow(roots, runtime), runtime) : undefined;
  return failure ?? { success: true, killed: row.threadId, threads };
});

/** A thread by its id; hosts and people are not told apart. */
function whoAsks({ caller, sources }: OperationCall): string {
  return caller === undefined ? 'its owner' : (sources.reader.threadByNo(caller)?.threadId ?? 'a thread');
}

function liveBelow(roots: readonly ThreadEntry[], runtime: RunningThreads): readonly ThreadEntry[] {
  return roots.flatMap((entry) => runtime.live(entry));
}

async function cancelledEnded(entry: ThreadEntry, runtime: RunningThreads): Promise<OperationRefusal | undefined> {
  return (await runtime.ended([entry])) ?? allEnded(() => runtime.beingCancelled(entry), runtime);
}

/** Somebody may have been admitted while the others ended. */
async function allEnded(
  left: () => readonly ThreadEntry[],
  runtime: RunningThreads,
): Promise<OperationRefusal | undefined> {
  for (let live = left(); live.length > 0; live = left()) {
    const failure = await runtime.ended(live);
    if (failure) return failure;
  }
  return undefined;
}

function alreadyEnded(row: ThreadRow, { sources }: OperationCall): OperationRefusal {
  const { status } = sources.standing(row);
  // Its row may not say so yet.
  const how = isEnded(status) ? ` (${status})` : '';
  return refused('thread_ended', `Thread ${row.threadId} has ended already${how}`);
}
