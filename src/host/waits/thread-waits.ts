import type { Failure } from '../../core/errors.ts';
import type { ThreadNo } from '../../core/ids.ts';
import { createNumberedMap, type NumberedMap } from '../../core/paged-map.ts';
import type { HostQuestion, WaitedThread } from '../../core/protocol.ts';
import { bringBack } from '../workers/absence.ts';
import { answerThread, goOnUnanswered } from '../admission/admission.ts';
import type { HostContext } from '../host-context.ts';
import { isWaiting, type Asker, type OpenWait } from './open-wait.ts';
import { isInReach } from '../operations/reach.ts';
import type { FollowingOrder } from '../operations/operation.ts';
import { createWaitFollowing, type WaitFollowing } from '../operations/wait-following.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import type { OngoingWait, WaitAnswer } from './waits.ts';

/**
 * The waits of threads for others, and whom their answers go to. A wait outlives the question: a thread that leaves its
 * worker meanwhile and comes back asks for the answer to the same wait, with the deadline that it had.
 */
export interface ThreadWaits {
  ask(asker: Asker, question: Extract<HostQuestion, { type: 'wait' }>): void;
  again(asker: Asker, question: Extract<HostQuestion, { type: 'waitAgain' }>): void;
  /** Nobody waits for the answer to this question; false if it is none of a wait. */
  abandon(asker: Asker): boolean;
  /** Nobody of this worker waits for anything. */
  lost(worker: number): void;
}

/** What waits need; `recall`: how a thread stands that is not in memory. */
export type ThreadWaitsOptions = { readonly host: HostContext; readonly recall: (threadId: string) => WaitedThread };

/** Makes the waits of a runtime. */
export function createThreadWaits({ host, recall }: ThreadWaitsOptions): ThreadWaits {
  const asked = createAskedWaits();
  const waits: Waits = { host, asked, follow: createWaitFollowing({ host, recall, isStopped: () => false }) };
  return {
    ask(asker, question) {
      const entry = host.table.get(question.thread);
      // An `after_complete` hook may ask when its thread is over, and no longer in memory.
      if (!entry) return refuse(host, asker, 'The thread that asks has ended');
      const wait = new AskedWait({ asker, entry, question }, waits);
      asked.add(asker, wait);
      wait.begin();
    },
    again(asker, { thread, callId }) {
      const open = host.table.get(thread)?.openWaits ?? [];
      const wait = [...open].find(({ call }) => call?.id === callId);
      if (!wait) return refuse(host, asker, `The call ${callId} waits for nobody`);
      wait.asker = asker;
      asked.add(asker, wait);
      wait.tell();
    },
    // A wait whose thread has left the worker goes on, here and when that one is lost.
    abandon(asker) {
      const wait = asked.take(asker);
      if (wait?.asker?.worker === asker.worker && wait.asker.ref === asker.ref) wait.abandon();
      return wait !== undefined;
    },
    lost(worker) {
      for (const wait of asked.takeAll(worker)) if (wait.asker?.worker === worker) wait.giveUp();
    },
  };
}

/** The waits that are to be answered, by who asked. */
type AskedWaits = {
  readonly add: (asker: Asker, wait: OpenWait) => void;
  readonly take: (asker: Asker) => OpenWait | undefined;
  /** All of a worker. */
  readonly takeAll: (worker: number) => Iterable<OpenWait>;
};

/** A worker counts its questions, so that the number of one says its place. */
function createAskedWaits(): AskedWaits {
  const byWorker = new Map<number, NumberedMap<OpenWait>>();
  return {
    add({ worker, ref }, wait) {
      const waits = byWorker.get(worker) ?? createNumberedMap<OpenWait>();
      byWorker.set(worker, waits);
      waits.set(ref, wait);
    },
    take({ worker, ref }) {
      const waits = byWorker.get(worker);
      const wait = waits?.get(ref);
      // A worker may be gone in good order with the last of them.
      if (waits?.delete(ref) && waits.size() === 0) byWorker.delete(worker);
      return wait;
    },
    takeAll(worker) {
      const waits = byWorker.get(worker);
      byWorker.delete(worker);
      return waits?.values() ?? [];
    },
  };
}

type Waits = { readonly host: HostContext; readonly follow: WaitFollowing; readonly asked: AskedWaits };
type Beginning = {
  readonly asker: Asker;
  readonly entry: ThreadEntry;
  readonly question: Extract<HostQuestion, { type: 'wait' }>;
};

/** Serves as its own order: one object less for each thread that waits. */
class AskedWait implements OpenWait, FollowingOrder {
  readonly call: OpenWait['call'];
  readonly isBeside: boolean;
  readonly since: number;
  readonly threadIds: readonly string[];
  readonly timeoutMs: number | undefined;
  readonly until: FollowingOrder['until'];
  asker: Asker | undefined;
  answer: OpenWait['answer'];
  readonly #entry: ThreadEntry;
  readonly #waits: Waits;
  #following: OngoingWait | undefined;

  constructor({ asker, entry, question }: Beginning, waits: Waits) {
    const { threadIds, timeoutMs, failFast, call, isBeside = false } = question;
    this.call = call;
    this.isBeside = isBeside;
    this.since = waits.host.clock.stopwatch();
    this.threadIds = threadIds;
    this.timeoutMs = timeoutMs;
    this.until = failFast ? 'failFast' : 'all';
    this.asker = asker;
    this.answer = undefined;
    this.#entry = entry;
    this.#waits = waits;
  }

  begin(): void {
    (this.#entry.openWaits ??= new Set()).add(this);
    this.#following = this.#waits.follow(this);
  }

  isVisible(id: string): boolean {
    return isOwn(id, this.#entry.lineage.thread, this.#waits.host);
  }

  done(answer: WaitAnswer): void {
    const { host } = this.#waits;
    const give = (): void => {
      this.answer = answer;
      this.tell();
      bringBack(host, this.#entry);
    };
    if (this.isBeside) give();
    else answerThread(host, this.#entry, give);
  }

  tell(): void {
    const { answer, asker } = this;
    if (!answer || !asker || this.#entry.absence) return;
    this.#close();
    const { host } = this.#waits;
    if (!answer.ok) return answerFailure(host, asker, answer.failure);
    host.gateway.send(asker.worker, { type: 'answer', ref: asker.ref, value: answer.value });
  }

  abandon(): void {
    this.giveUp();
    const { openWaits, joining, cancelReason, suspendAsked } = this.#entry;
    // One that is stopped takes no further step.
    const isStopped = cancelReason !== undefined || suspendAsked !== undefined;
    if (!isStopped && !this.isBeside && !isWaiting(openWaits) && !joining)
      goOnUnanswered(this.#waits.host, this.#entry);
  }

  giveUp(): void {
    this.#close();
    this.#following?.giveUp();
  }

  #close(): void {
    this.#entry.openWaits?.delete(this);
    if (this.asker) this.#waits.asked.take(this.asker);
  }
}

/** A thread waits for what is below itself; of anything else it hears that there is no such thread (ADR 19). */
function isOwn(id: string, caller: ThreadNo, { table, reader }: HostContext): boolean {
  // Most are its children.
  if (table.byId(id)?.lineage.parent === caller) return true;
  const row = reader.thread(id);
  return row !== undefined && isInReach(row, { caller, reach: 'below', reader });
}

function refuse(host: HostContext, asker: Asker, message: string): void {
  answerFailure(host, asker, { code: 'thread_ended', message });
}

function answerFailure({ gateway }: HostContext, { worker, ref }: Asker, failure: Failure): void {
  gateway.send(worker, { type: 'answer', ref, failure });
}
