import type { ThreadId } from '../../core/ids.ts';
import type { WaitedThread } from '../../core/protocol.ts';
import { attempt, ok } from '../../core/result.ts';
import { heirOf } from '../endings/heir.ts';
import { openEntry } from '../rest/find-entry.ts';
import { notThere } from '../rest/recall.ts';
import type { HostContext } from '../host-context.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { Wait, type OngoingWait, type WaitAnswer, type WaitOrder, type WaitSources } from '../waits/waits.ts';
import type { FollowingOrder } from './operation.ts';

/** What such a wait works with; it asks the host for its config when it needs it: another one may have come into force. */
export type FollowingSources = Pick<WaitSources, 'recall' | 'isStopped'> & {
  readonly host: Pick<
    HostContext,
    'table' | 'clock' | 'reader' | 'endings' | 'config' | 'tell' | 'problem' | 'recovery'
  >;
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
  const byId = (id: string): ThreadEntry | undefined => (hidden.has(id) ? undefined : goingOn(id, host));
  return {
    clock,
    isStopped,
    // It comes after those who wait.
    isAhead: (entry) => host.recovery?.isAhead(entry) ?? false,
    table: { byId, keep: (entry: ThreadEntry) => table.keep(entry), rest: (entry: ThreadEntry) => table.rest(entry) },
    recall: (id: string) => (hidden.has(id) ? notThere(id) : recall(id)),
  };
}

/** The entry of a thread, or of whoever goes on with what it began; undefined if it has ended, and the store alone knows how. */
function goingOn(id: string, host: FollowingSources['host']): ThreadEntry | undefined {
  const found = openEntry(id, host);
  return found && heirOf(found, host);
}

/** Serves as the order of its wait: one object less for each that waits. */
class FollowingWait implements OngoingWait, WaitOrder {
  readonly until: WaitOrder['until'];
  readonly threadIds: readonly string[];
  readonly timeoutMs: number | undefined;
  readonly #order: FollowingOrder;
  readonly #sources: Following;
  #wait: OngoingWait | undefined;

  constructor(order: FollowingOrder, sources: Following) {
    this.until = order.until;
    this.threadIds = order.threadIds;
    this.timeoutMs = order.timeoutMs;
    this.#order = order;
    this.#sources = sources;
  }

  begin(): void {
    const wait = attempt(() => this.#create());
    if (!wait.ok) return this.#order.done(wait);
    // Before it begins: whoever hears of a failure then may give it up.
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
    this.#order.done(ok(answer.value.map((one, index) => reported(one, this.threadIds[index]))));
  }

  /** @throws what reading throws */
  #create(): Wait {
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

function reported(waited: WaitedThread, asked: string | undefined): WaitedThread {
  if (asked === undefined || asked === waited.threadId) return waited;
  // It was found under this text, which is an id therefore.
  return { ...waited, threadId: asked as ThreadId, continuedAs: waited.threadId };
}
