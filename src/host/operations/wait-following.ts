import type { ThreadId } from '../../core/ids.ts';
import type { WaitedThread } from '../../core/protocol.ts';
import { attempt } from '../../core/result.ts';
import { openEntry } from '../rest/find-entry.ts';
import { notThere } from '../rest/recall.ts';
import type { HostContext } from '../host-context.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { Wait, type OngoingWait, type WaitOrder, type WaitSources } from '../waits/waits.ts';
import type { FollowingOrder } from './operation.ts';
import { successorsOf } from './stored-threads.ts';

/** What such a wait works with; it asks the host for its config when it needs it: another one may have come into force. */
export type FollowingSources = Pick<WaitSources, 'recall' | 'isStopped'> & {
  readonly host: Pick<HostContext, 'table' | 'clock' | 'reader' | 'endings' | 'config' | 'tell' | 'problem'>;
};

/** Waits for threads and, where one hands over, for its successor: one deadline for all of it, and results under the ids asked for. */
export type WaitFollowing = (order: FollowingOrder) => OngoingWait;

/**
 * Makes the waits of a host. With `coordination.cancel_siblings_on_failure`, the first that fails takes the others of its wait
 * with it.
 */
export function createWaitFollowing(sources: FollowingSources): WaitFollowing {
  const everyone = hiding([], sources);
  return (order) => {
    const hidden = order.threadIds.filter((id) => !order.isVisible(id));
    const wait = new FollowingWait(order, hidden.length === 0 ? everyone : hiding(hidden, sources));
    wait.begin();
    return wait;
  };
}

type Following = Pick<FollowingSources, 'host'> & { readonly view: WaitSources };

/** Of threads that the caller may not know of it hears that there are none. */
function hiding(ids: readonly string[], { host, recall, isStopped }: FollowingSources): Following {
  const { table, clock } = host;
  const hidden = new Set(ids);
  const byId = (id: string): ThreadEntry | undefined => (hidden.has(id) ? undefined : openEntry(id, host));
  const view = {
    clock,
    isStopped,
    table: { byId, keep: (entry: ThreadEntry) => table.keep(entry), rest: (entry: ThreadEntry) => table.rest(entry) },
    recall: (id: string) => (hidden.has(id) ? notThere(id) : recall(id)),
  };
  return { host, view };
}

/** Serves as the order of each wait it consists of: one object less for each that waits. */
class FollowingWait implements OngoingWait, WaitOrder {
  readonly until: WaitOrder['until'];
  /** Whom each is waited for by now. */
  threadIds: readonly string[];
  /** What was left when the latest wait began. */
  timeoutMs: number | undefined = undefined;
  readonly #order: FollowingOrder;
  readonly #sources: Following;
  readonly #startedAt: number;
  #wait: OngoingWait | undefined;

  constructor(order: FollowingOrder, sources: Following) {
    this.until = order.until;
    this.threadIds = order.threadIds;
    this.#order = order;
    this.#sources = sources;
    this.#startedAt = sources.host.clock.stopwatch();
  }

  begin(): void {
    const { view, host } = this.#sources;
    const { timeoutMs } = this.#order;
    const passedMs = host.clock.stopwatch() - this.#startedAt;
    this.timeoutMs = timeoutMs === undefined ? undefined : Math.max(0, timeoutMs - passedMs);
    const alreadyFailed = failedBefore(this.threadIds, this.#sources);
    if (alreadyFailed) cancelOthers(alreadyFailed, this.threadIds, this.#sources);
    const wait = new Wait(this, view);
    // Before it begins: one that is over at once may lead to the next.
    this.#wait = wait;
    wait.begin();
  }

  giveUp(): void {
    this.#wait?.giveUp();
  }

  failed({ lineage, ending }: ThreadEntry): void {
    const failed = { threadId: lineage.threadId, status: ending?.status ?? 'error', ending } as const;
    cancelOthers(failed, this.threadIds, this.#sources);
  }

  done(waited: readonly WaitedThread[]): void {
    const before = this.threadIds;
    const { threadIds: asked } = this.#order;
    const next = waited.map((one, index) => this.#successorOf(one) ?? before[index] ?? one.threadId);
    this.threadIds = next;
    if (next.some((id, index) => id !== before[index])) this.begin();
    else this.#order.done(waited.map((one, index) => reported(one, asked[index])));
  }

  /** Where the database can't be read, the wait is over with who has handed over. */
  #successorOf(one: WaitedThread): ThreadId | undefined {
    const found = attempt(() => successorOf(one, this.#sources));
    if (found.ok) return found.value;
    this.#sources.host.problem(found.failure);
    return undefined;
  }
}

/** The last of those that took over, if the log tells of one. */
function successorOf({ threadId, status }: WaitedThread, { host }: Following): ThreadId | undefined {
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
function failedBefore(ids: readonly string[], { host, view }: Following): WaitedThread | undefined {
  if (!host.config.resilience.coordination.cancelSiblingsOnFailure) return undefined;
  return ids
    .filter((id) => !view.table.byId(id))
    .map((id) => view.recall(id))
    .find(({ status }) => status === 'error' || status === 'cancelled');
}

/**
 * `coordination.cancel_siblings_on_failure`: one that failed takes the others of the same wait with it. Of those the caller may not
 * know of, none is a sibling.
 */
function cancelOthers(failed: WaitedThread, ids: readonly string[], { host, view }: Following): void {
  if (!host.config.resilience.coordination.cancelSiblingsOnFailure) return;
  for (const id of ids) {
    const sibling = id === failed.threadId ? undefined : view.table.byId(id);
    if (!sibling || sibling.phase === 'ended') continue;
    const reason = `sibling ${failed.threadId} ${failed.status}`;
    host.tell({ type: 'CANCEL', thread: sibling.lineage.thread, reason });
  }
}
