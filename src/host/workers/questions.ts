import type { Failure } from '../../core/errors.ts';
import type { ThreadNo } from '../../core/ids.ts';
import type { ChildStarted, HostQuestion, Successor, WaitedThread, WorkerReport } from '../../core/protocol.ts';
import { attempt, failed, ok, type Result } from '../../core/result.ts';
import { failureIn } from '../../core/store.ts';
import { startOfChild, tellParentOfChild } from '../admission/tell-parent.ts';
import { checkOutputs } from '../handle/check-outputs.ts';
import type { AdmissionOrder, HostContext } from '../host-context.ts';
import type { HostFunctions } from './host-functions.ts';
import type { SymbolQuestions } from './symbol-questions.ts';
import type { Operations } from '../operations/dispatcher.ts';
import { childOfCall } from '../admission/child-of-call.ts';
import { orchestrate } from '../operations/orchestrate.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { createThreadWaits } from '../waits/thread-waits.ts';

/**
 * Answers what threads ask the host; a question that its worker abandons gets no answer. If the answer to a spawn was on
 * the way by then, the parent goes on without its child: the child is cancelled, and the answer tells the worker what
 * the parent's log has to have of it, before it can hear of the child's end. Unless the call stays open: it is made again, and
 * goes on with the child.
 */
export interface QuestionHandler {
  ask(worker: number, question: HostQuestion & { readonly ref: number }): void;
  abandon(worker: number, question: Abandoned): void;
  /**
   * A worker is gone: nobody waits for what its threads have asked. A child that one of them was spawning is kept; the
   * thread finds it when it comes to that call again.
   */
  lost(worker: number): void;
  /** The same of all workers: the runtime has stopped. */
  close(): void;
}

type Wait = Asked<'wait' | 'waitAgain'>;
type Abandoned = Pick<Extract<WorkerReport, { type: 'abandon' }>, 'ref' | 'parent' | 'stays'>;

/** What answering needs. */
export type QuestionOptions = {
  readonly host: HostContext;
  readonly functions: HostFunctions;
  readonly operations: Operations;
  readonly symbols: Pick<SymbolQuestions, 'ask'>;
  /** How a thread stands that is not in memory. */
  readonly recall: (threadId: string) => WaitedThread;
};

/** Gives a question up: its worker has abandoned it, for good or until the call is made again, or is gone. */
type GiveUp = (why: 'abandoned' | 'stays' | 'lost') => void;

type Asked<Type extends HostQuestion['type']> = Extract<HostQuestion, { type: Type }>;
type Answers = {
  /** Worker and number of the question. */
  readonly key: string;
  readonly value: (value: unknown, child?: ChildStarted) => void;
  readonly failure: (failure: Failure) => void;
};

/** Makes the handler of a runtime. */
export function createQuestionHandler(options: QuestionOptions): QuestionHandler {
  const { host } = options;
  const giveUps = new Map<string, GiveUp>();
  const waits = createThreadWaits(options);
  return {
    ask(worker, question) {
      const { ref } = question;
      if (question.type === 'wait') return waits.ask({ worker, ref }, question);
      if (question.type === 'waitAgain') return waits.again({ worker, ref }, question);
      const key = `${worker}:${ref}`;
      let isAnswered = false;
      const settle = (): void => {
        isAnswered = true;
        giveUps.delete(key);
      };
      const answers: Answers = {
        key,
        value(value, child) {
          settle();
          host.gateway.send(worker, { type: 'answer', ref, value, ...(child && { child }) });
        },
        failure(failure) {
          settle();
          host.gateway.send(worker, { type: 'answer', ref, failure });
        },
      };
      const giveUp = answer(question, options, answers);
      // Some are answered at once: nothing is left to give up then.
      if (giveUp && !isAnswered) giveUps.set(key, giveUp);
    },
    abandon(worker, { ref, parent, stays }) {
      if (waits.abandon({ worker, ref })) return;
      const key = `${worker}:${ref}`;
      const giveUp = giveUps.get(key);
      giveUps.delete(key);
      if (giveUp) giveUp(stays ? 'stays' : 'abandoned');
      else if (parent !== undefined) disown(host, { thread: parent, key, stays });
    },
    lost(worker) {
      waits.lost(worker);
      for (const [key, giveUp] of giveUps) {
        if (!key.startsWith(`${worker}:`)) continue;
        giveUps.delete(key);
        giveUp('lost');
      }
    },
    close() {
      for (const giveUp of giveUps.values()) giveUp('lost');
      giveUps.clear();
    },
  };
}

/** Sees to a question; returns the way to give it up, where there is one. */
function answer(question: Exclude<HostQuestion, Wait>, options: QuestionOptions, answers: Answers): GiveUp | undefined {
  switch (question.type) {
    case 'spawn':
      return spawnChild(question, options, answers);
    case 'spawned':
      findChild(question, options.host, answers);
      return undefined;
    case 'succeed':
      answers.value({ thread: options.host.nextThread(), threadId: options.host.newThreadId() } satisfies Successor);
      return undefined;
    case 'orchestrate':
      // It never rejects, and an answer that can't travel is the gateway's to tell.
      void orchestrate(options.operations, question).then((result) => settle(result, answers));
      return undefined;
    case 'checkOutputs':
      void outputsFit(question, options.host).then((result) => settle(result, answers));
      return undefined;
    case 'hostCall':
      return callFunction(question, options, answers);
    case 'symbols':
      options.symbols.ask(question.task, (result) => settle(result, answers));
      return undefined;
  }
}

/** What the call may have spawned in this very runtime is on its way to the store: answered behind that. */
function findChild(question: Asked<'spawned'>, host: HostContext, answers: Answers): void {
  host.store.submit({ type: 'remaining', thread: question.thread }, (result) => {
    const failure = failureIn(result);
    if (failure) answers.failure(failure);
    else settle(childOfCall(question, host), answers);
  });
}

function settle(result: Result<unknown>, answers: Answers): void {
  if (result.ok) answers.value(result.value);
  else answers.failure(result.failure);
}

function spawnChild({ thread, spec }: Asked<'spawn'>, { host }: QuestionOptions, answers: Answers): GiveUp | undefined {
  const parent = host.table.get(thread);
  if (!parent) return refuseForgotten(answers);
  let isGivenUp = false;
  const order: AdmissionOrder = {
    spec,
    parent,
    done(result) {
      if (!isGivenUp) {
        // A runtime that closes leaves the call open: the next one makes it again, and no model takes it for refused.
        if (!result.ok) return result.failure.code === 'runtime_closed' ? undefined : answers.failure(result.failure);
        (parent.asked ??= new Map()).set(answers.key, result.value.lineage.thread);
        answers.value({ threadId: result.value.lineage.threadId }, startOfChild(parent, result.value));
      } else if (result.ok) {
        // Its end must not be the first that its parent's log has of it.
        tellParentOfChild(host, parent, result.value);
        cancelUnwanted(host, result.value);
      }
    },
  };
  host.tell({ type: 'PREPARED', order });
  return (why) => {
    isGivenUp = why === 'abandoned' || (why === 'stays' && isCancelled(parent));
  };
}

/** A schema that throws keeps no thread from its end: its caller is told there. Nor does one of an earlier runtime, which is not known. */
async function outputsFit({ thread, outputs }: Asked<'checkOutputs'>, { table }: HostContext): Promise<Result<null>> {
  const schema = table.get(thread)?.outputSchema;
  const checked = schema && (await checkOutputs(schema, outputs));
  return checked?.ok === false && !checked.hasThrown ? failed(checked.failure) : ok(null);
}

/** The function is told that nobody waits for it, and may stop. */
function callFunction(call: Asked<'hostCall'>, { functions }: QuestionOptions, answers: Answers): GiveUp {
  const running = functions.call(call, (result) => settle(result, answers));
  return () => running.abort();
}

/** It was cancelled in the same moment: it makes no call again. */
function isCancelled({ cancelReason }: ThreadEntry): boolean {
  return cancelReason !== undefined;
}

/** An `after_complete` hook may ask when its thread is over, and no longer in memory. */
function refuseForgotten(answers: Answers): undefined {
  answers.failure({ code: 'thread_ended', message: 'The thread that asks has ended' });
}

type Disowned = { readonly thread: ThreadNo; readonly key: string; readonly stays: true | undefined };

/** Cancels the child whose spawn was answered and abandoned at the same time, but for one that a call finds again. */
function disown(host: HostContext, { thread, key, stays }: Disowned): void {
  const parent = host.table.get(thread);
  const spawned = parent?.asked?.get(key);
  parent?.asked?.delete(key);
  if (!parent || spawned === undefined || (stays && !isCancelled(parent))) return;
  const unwanted = attempt(() => host.table.recall(spawned));
  if (!unwanted.ok) host.problem(unwanted.failure);
  else if (unwanted.value) cancelUnwanted(host, unwanted.value);
}

/** Nobody waits for it: it must not run. */
function cancelUnwanted(host: HostContext, { lineage }: ThreadEntry): void {
  const reason = `parent ${lineage.parentId ?? lineage.parent} gave up the call that spawned it`;
  host.tell({ type: 'CANCEL', thread: lineage.thread, reason });
}
