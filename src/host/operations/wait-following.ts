import type { ThreadId } from '../../core/ids.ts';
import type { WaitedThread } from '../../core/protocol.ts';
import { attempt, ok } from '../../core/result.ts';
import { openEntry } from '../rest/find-entry.ts';
import { notThere } from '../rest/recall.ts';
import type { HostContext } from '../host-context.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { Wait, type OngoingWait, type WaitAnswer, type WaitOrder, type WaitSources } from '../waits/waits.ts';
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
 * with it. What can't be read is the wait's answer, whenever that shows: nothing is thrown.
 */
export function createWaitFollowing(sources: FollowingSources): WaitFollowing {
  const everyone = seeing([], sources);
  return (order) => {
    const hidden = attempt(() => order.threadIds.filter((id) => !order.isVisible(id)));
    if (!hidden.ok) {
      order.done(hidden);
      return OVER;
    }
    const wait = new FollowingWait(order, hidden.value.length === 0 ? everyone : seeing(hidden.value, sources));
    wait.begin();
    return wait;
  };
}

const OVER: OngoingWait = { giveUp: () => undefined };

type Following = FollowingSources & { readonly view: WaitSources };

function seeing(hiddenIds: readonly string[], sources: FollowingSources): Following {
  return { ...sources, view: viewOf(hiddenIds, sources) };
}

/** Of threads that the caller may not know of it hears that there are none. */
function viewOf(hiddenIds: readonly string[], { host, recall, isStopped }: FollowingSources): WaitSources {
  const { table, clock } = host;
  const hidden = new Set(hiddenIds);
  const byId = (id: string): ThreadEntry | undefined => (hidden.has(id) ? undefined : openEntry(id, host));
  return {
    clock,
    isStopped,
    table: { byId, keep: (entry: ThreadEntry) => table.keep(entry), rest: (entry: ThreadEntry) => table.rest(entry) },
    recall: (id: string) => (hidden.has(id) ? notThere(id) : recall(id)),
  };
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
    const { timeoutMs } = this.#order;
    const passedMs = this.#sources.host.clock.stopwatch() - this.#startedAt;
    this.timeoutMs = timeoutMs === undefined ? undefined : Math.max(0, timeoutMs - passedMs);
    const wait = attempt(() => this.#next());
    if (!wait.ok) return this.#order.done(wait);
    // Before it begins: one that is over at once may lead to the next.
    this.#wait = wait.value;
    wait.value.begin();
  }

  giveUp(): void {
    this.#wait?.giveUp();
  }

  failed({ lineage, ending }: ThreadEntry): void {
    this.#cancelOthers({ threadId: lineage.threadId, status: ending?.status ?? 'error', ending });
  }

  done(answer: WaitAnswer): void {
    if (!answer.ok) return this.#order.done(answer);
    const waited = answer.value;
    const before = this.threadIds;
    const { threadIds: asked } = this.#order;
    const next = attempt(() =>
      waited.map((one, index) => successorOf(one, this.#sources) ?? before[index] ?? one.threadId),
    );
    if (!next.ok) return this.#order.done(next);
    this.threadIds = next.value;
    if (next.value.some((id, index) => id !== before[index])) this.begin();
    else this.#order.done(ok(waited.map((one, index) => reported(one, asked[index]))));
  }

  /** The wait for those who are waited for by now. @throws what reading throws */
  #next(): Wait {
    const alreadyFailed = this.#failedBefore();
    if (alreadyFailed) this.#cancelOthers(alreadyFailed);
    return new Wait(this, this.#sources.view);
  }

  /** One that failed so long ago that only the store knows. */
  #failedBefore(): WaitedThread | undefined {
    if (!cancelsSiblings(this.#sources)) return undefined;
    const { table, recall } = this.#sources.view;
    return this.threadIds
      .filter((id) => !table.byId(id))
      .map((id) => recall(id))
      .find(({ status }) => status === 'error' || status === 'cancelled');
  }

  /**
   * `coordination.cancel_siblings_on_failure`: one that failed takes the others of the same wait with it. Of those the caller may not
   * know of, none is a sibling; one that can't be read keeps no other.
   */
  #cancelOthers(failed: WaitedThread): void {
    if (!cancelsSiblings(this.#sources)) return;
    const { view, host } = this.#sources;
    const { tell, problem } = host;
    const reason = `sibling ${failed.threadId} ${failed.status}`;
    for (const id of this.threadIds) {
      if (id === failed.threadId) continue;
      const sibling = attempt(() => view.table.byId(id));
      if (!sibling.ok) problem(sibling.failure);
      else if (sibling.value && sibling.value.phase !== 'ended')
        tell({ type: 'CANCEL', thread: sibling.value.lineage.thread, reason });
    }
  }
}

function cancelsSiblings({ host }: FollowingSources): boolean {
  return host.config.resilience.coordination.cancelSiblingsOnFailure;
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
