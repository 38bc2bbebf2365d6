import type { ThreadId } from '../../core/ids.ts';
import type { WaitedThread } from '../../core/protocol.ts';
import { openEntry } from '../rest/find-entry.ts';
import { notThere } from '../rest/recall.ts';
import type { HostContext } from '../host-context.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { waitForThreads, type WaitSources } from '../waits/waits.ts';
import type { ThreadWait } from './operation.ts';
import { successorsOf } from './stored-threads.ts';

/** What such a wait works with; it asks the host for its config when it needs it: another one may have come into force. */
export type FollowingSources = Pick<WaitSources, 'recall' | 'isStopped'> & {
  readonly host: Pick<HostContext, 'table' | 'clock' | 'reader' | 'endings' | 'config' | 'tell'>;
};

/**
 * Waits for threads and, where one hands over, for its successor: one deadline for all of it, and results under the ids that
 * were asked for. With `coordination.cancel_siblings_on_failure`, the first that fails takes the others with it. Returns
 * the way to give the wait up.
 */
export function waitFollowing(order: ThreadWait, sources: FollowingSources): () => void {
  const { clock } = sources.host;
  const startedAt = clock.stopwatch();
  const hidden = hide(order, sources);
  let giveUp = (): void => undefined;
  // Whom each is waited for by now.
  let current = order.threadIds;

  const done = (waited: readonly WaitedThread[]): void => {
    const next = waited.map((one, index) => successorOf(one, sources) ?? current[index] ?? one.threadId);
    const hasMoved = next.some((id, index) => id !== current[index]);
    current = next;
    if (hasMoved) wait();
    else order.done(waited.map((one, index) => reported(one, order.threadIds[index])));
  };
  const wait = (): void => {
    let isOver = false;
    const passedMs = clock.stopwatch() - startedAt;
    const timeoutMs = order.timeoutMs === undefined ? undefined : Math.max(0, order.timeoutMs - passedMs);
    // Of those the caller may not know of, none is a sibling.
    const cancelSiblings = (failed: WaitedThread): void =>
      cancelOthers(failed, current, { host: sources.host, table: hidden.table });
    const alreadyFailed = failedBefore(current, hidden, sources);
    if (alreadyFailed) cancelSiblings(alreadyFailed);
    const stop = waitForThreads(
      {
        threadIds: current,
        timeoutMs,
        until: order.until,
        failed: ({ lineage, ending }) =>
          cancelSiblings({ threadId: lineage.threadId, status: ending?.status ?? 'error', ending }),
        done(waited) {
          isOver = true;
          done(waited);
        },
      },
      hidden,
    );
    // One that is over at once may have led to the next.
    if (!isOver) giveUp = stop;
  };
  wait();
  return () => giveUp();
}

/** Of threads that the caller may not know of it hears that there are none. */
function hide({ threadIds, isVisible }: ThreadWait, sources: FollowingSources): WaitSources {
  const { host, recall, isStopped } = sources;
  const { table, clock } = host;
  const byId = (id: string): ThreadEntry | undefined => (hidden.has(id) ? undefined : openEntry(id, host));
  const hidden = new Set(threadIds.filter((id) => !isVisible(id)));
  return {
    clock,
    isStopped,
    table: { byId, keep: (entry) => table.keep(entry), rest: (entry) => table.rest(entry) },
    recall: (id) => (hidden.has(id) ? notThere(id) : recall(id)),
  };
}

/** The last of those that took over, if the log tells of one. */
function successorOf({ threadId, status }: WaitedThread, { host }: FollowingSources): ThreadId | undefined {
  if (status !== 'continued') return undefined;
  const { reader } = host;
  const row = reader.thread(threadId);
  return row && successorsOf(reader, row).at(-1)?.threadId;
}

function reported(waited: WaitedThread, asked: string | undefined): WaitedThread {
  if (asked === undefined || asked === waited.threadId) return waited;
  // It was found under this text, which is an id therefore.
  return { ...waited, threadId: asked as ThreadId, continuedAs: waited.threadId };
}

/** One that failed so long ago that only the store knows. */
function failedBefore(
  ids: readonly string[],
  { table, recall }: WaitSources,
  { host }: FollowingSources,
): WaitedThread | undefined {
  if (!host.config.resilience.coordination.cancelSiblingsOnFailure) return undefined;
  return ids
    .filter((id) => !table.byId(id))
    .map(recall)
    .find(({ status }) => status === 'error' || status === 'cancelled');
}

/** `coordination.cancel_siblings_on_failure`: one that failed takes the others of the same wait with it. */
function cancelOthers(
  failed: WaitedThread,
  ids: readonly string[],
  { host, table }: Pick<FollowingSources, 'host'> & Pick<WaitSources, 'table'>,
): void {
  if (!host.config.resilience.coordination.cancelSiblingsOnFailure) return;
  for (const id of ids) {
    const sibling = id === failed.threadId ? undefined : table.byId(id);
    if (!sibling || sibling.phase === 'ended') continue;
    const reason = `sibling ${failed.threadId} ${failed.status}`;
    host.tell({ type: 'CANCEL', thread: sibling.lineage.thread, reason });
  }
}
