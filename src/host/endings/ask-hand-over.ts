import { failed, ok, type Result } from '../../core/result.ts';
import { whenBack } from '../workers/absence.ts';
import type { HostContext } from '../host-context.ts';
import { stoppedBefore } from '../handle/refuse-stopped.ts';
import { latestOf } from '../latest.ts';
import { askToResume } from '../rest/ask-to-resume.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { nextChange } from '../waits/waiters.ts';

/** How a hand-over is asked for; `isStopped`: nothing changes any more. */
export type HandOverAsking = { readonly wait: boolean; readonly isStopped: () => boolean };

/**
 * Has a thread hand over at its next step; a suspended one goes on for that. With `wait`, resolves to its successor, or to why
 * there is none; otherwise as soon as it is asked.
 */
export async function askHandOver(
  host: HostContext,
  asked: ThreadEntry,
  { wait, isStopped }: HandOverAsking,
): Promise<Result<ThreadEntry | undefined>> {
  const entry = latestOf(asked);
  if (entry.phase === 'ended' || entry.cancelReason !== undefined) return failed(over(entry));
  host.table.keep(entry);
  const wasAsked = entry.handOverAsked;
  entry.handOverAsked = true;
  // One that is away is told when it comes back.
  if (entry.absence?.kind !== 'away') whenBack(host, entry, () => sendHandOver(host, entry));
  if (entry.phase === 'suspended') {
    const resumed = await askToResume(host, { entry, message: undefined, limits: undefined });
    if (!resumed.ok) {
      // Who asked before may have it resumed at this moment.
      if (!wasAsked) entry.handOverAsked = false;
      host.table.rest(entry);
      return resumed;
    }
  }
  return wait ? untilHandedOver(host, entry, isStopped) : ok(undefined);
}

function sendHandOver({ gateway }: HostContext, { worker, lineage }: ThreadEntry): void {
  if (worker >= 0) gateway.send(worker, { type: 'handOver', thread: lineage.thread });
}

async function untilHandedOver(
  { table }: HostContext,
  entry: ThreadEntry,
  isStopped: () => boolean,
): Promise<Result<ThreadEntry>> {
  while (!entry.successor) {
    if (entry.phase === 'ended') return failed(over(entry));
    if (isStopped()) return failed(stoppedBefore('the hand-over'));
    if (entry.phase === 'suspended') {
      const message = `Thread ${entry.lineage.threadId} was suspended: it hands over when it goes on`;
      return failed({ code: 'invalid_argument', message });
    }
    const failure = await nextChange(table, entry);
    if (failure) return failed(failure);
  }
  return ok(entry.successor);
}

function over({ lineage, phase }: ThreadEntry): { readonly code: 'thread_ended'; readonly message: string } {
  const how = phase === 'ended' ? 'has ended' : 'is being cancelled';
  return { code: 'thread_ended', message: `Thread ${lineage.threadId} ${how}: it has nothing to hand over` };
}
