import type { ThreadNo } from '../../core/ids.ts';
import type { HostQuestion, WaitedThread } from '../../core/protocol.ts';
import { bringBack } from '../workers/absence.ts';
import { answerThread } from '../admission/admission.ts';
import type { HostContext } from '../host-context.ts';
import type { Asker, OpenWait } from './open-wait.ts';
import { isInReach } from '../operations/reach.ts';
import { waitFollowing } from '../operations/wait-following.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

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
  const asked: Askers = new Map();
  const abandon = (key: string): boolean => {
    const wait = asked.get(key);
    asked.delete(key);
    // One whose thread has left its worker goes on.
    if (wait?.asker && keyOf(wait.asker) === key) wait.giveUp();
    return wait !== undefined;
  };
  return {
    ask(asker, question) {
      const entry = host.table.get(question.thread);
      // An `after_complete` hook may ask when its thread is over, and no longer in memory.
      if (!entry) return refuse(host, asker, 'The thread that asks has ended');
      begin({ host, recall, asked }, { asker, entry, question });
    },
    again(asker, { thread, callId }) {
      const waits = host.table.get(thread)?.openWaits ?? [];
      const wait = [...waits].find(({ call }) => call?.id === callId);
      if (!wait) return refuse(host, asker, `The call ${callId} waits for nobody`);
      wait.asker = asker;
      asked.set(keyOf(asker), wait);
      wait.tell();
    },
    abandon: (asker) => abandon(keyOf(asker)),
    lost(worker) {
      for (const [key, { asker }] of asked) if (asker?.worker === worker) abandon(key);
    },
  };
}

type Askers = Map<string, OpenWait>;
type Beginning = {
  readonly asker: Asker;
  readonly entry: ThreadEntry;
  readonly question: Extract<HostQuestion, { type: 'wait' }>;
};

function begin(options: ThreadWaitsOptions & { readonly asked: Askers }, { asker, entry, question }: Beginning): void {
  const { host, recall, asked } = options;
  const { thread, threadIds, timeoutMs, failFast, call } = question;
  let stop = (): void => undefined;
  const close = (): void => {
    entry.openWaits?.delete(wait);
    if (wait.asker) asked.delete(keyOf(wait.asker));
  };
  const wait: OpenWait = {
    call,
    since: host.clock.stopwatch(),
    asker,
    results: undefined,
    tell() {
      if (!wait.results || !wait.asker || entry.absence) return;
      close();
      host.gateway.send(wait.asker.worker, { type: 'answer', ref: wait.asker.ref, value: wait.results });
    },
    giveUp() {
      close();
      stop();
    },
  };
  (entry.openWaits ??= new Set()).add(wait);
  asked.set(keyOf(asker), wait);
  stop = waitFollowing(
    {
      threadIds,
      timeoutMs,
      until: failFast ? 'failFast' : 'all',
      isVisible: (id) => isOwn(id, thread, host),
      done: (results) =>
        answerThread(host, entry, () => {
          wait.results = results;
          wait.tell();
          bringBack(host, entry);
        }),
    },
    { host, recall, isStopped: () => false },
  );
}

/** A thread waits for what is below itself; of anything else it hears that there is no such thread (ADR 19). */
function isOwn(id: string, caller: ThreadNo, { table, reader }: HostContext): boolean {
  // Most are its children.
  if (table.byId(id)?.lineage.parent === caller) return true;
  const row = reader.thread(id);
  return row !== undefined && isInReach(row, { caller, reach: 'below', reader });
}

function refuse({ gateway }: HostContext, { worker, ref }: Asker, message: string): void {
  gateway.send(worker, { type: 'answer', ref, failure: { code: 'thread_ended', message } });
}

function keyOf({ worker, ref }: Asker): string {
  return `${worker}:${ref}`;
}
