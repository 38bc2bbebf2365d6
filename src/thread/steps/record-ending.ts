import { endingJson, type Ending, type TerminalStatus } from '../../core/ending.ts';
import { toFailure } from '../../core/errors.ts';
import { costPayload } from '../../core/cost-payload.ts';
import type { InWorker } from '../conversation/conversation.ts';
import { costOf } from '../cost.ts';
import type { Effect } from './effects.ts';
import { successorRow } from './hand-over.ts';
import { warnOfControl } from '../hooks/obey-control.ts';
import { runHooks } from '../hooks/run-hooks.ts';
import type { Services } from '../services/services.ts';
import { recordMissed } from '../tell-thread.ts';
import { abortTools } from './tool-step.ts';
import type { Thread } from '../thread.ts';

/** Writes `thread_completed`. */
export const recordCompletion: Effect = (thread, services) => {
  if (thread.outputs !== undefined) {
    services.journal.record(thread, 'directive_return', { outputs: thread.outputs, cost: costPayload(costOf(thread)) });
  }
  end(thread, services, 'completed');
};

/** Writes `thread_error`. */
export const recordError: Effect = (thread, services, event) => {
  thread.failure = event.type === 'FAIL' ? event.failure : { code: 'internal', message: `Ended by ${event.type}` };
  end(thread, services, 'error');
};

/** Writes `thread_cancelled`. */
export const recordCancellation: Effect = (thread, services, event) => {
  recordMissed({ thread, services });
  const reason = event.type === 'CANCEL' ? event.reason : event.type;
  // Those that were to stay open for a suspension that is not on disk yet.
  abortTools({ thread, services }, `cancelled: ${reason}`);
  thread.failure = { code: 'cancelled', message: reason };
  end(thread, services, 'cancelled');
};

/** Writes `thread_continued`: the successor goes on with the conversation. */
export const recordContinuation: Effect = (thread, services, event) => {
  if (event.type !== 'HAND_OVER') throw new Error(`A thread is continued by HAND_OVER, not ${event.type}`);
  const { successor } = event;
  const cost = costOf(thread);
  services.journal.record(thread, 'thread_continued', { successor: successor.threadId, cost: costPayload(cost) });
  const ending: Ending = { status: 'continued', outputs: undefined, text: thread.text, error: undefined, cost };
  const stored = endingJson(ending);
  const row = successorRow({ thread, services }, successor);
  thread.ended = true;
  thread.successor = successor.threadId;
  services.journal.handOver(thread, { ending: stored, successor: row }, (_result, last) => {
    services.report({
      type: 'continued',
      thread: thread.lineage.thread,
      ending: stored,
      successor,
      ...hooksLeft(thread),
      ...(last && { last }),
    });
    leave(thread, services, { status: 'continued', outputs: undefined });
  });
};

type EndStatus = Exclude<TerminalStatus, 'continued'>;

/** The one terminal event. */
function end(thread: Thread, services: Services, status: EndStatus): void {
  const used = costOf(thread);
  const cost = costPayload(used);
  const { failure } = thread;
  const message = failure?.message ?? '';
  if (status === 'completed') services.journal.record(thread, 'thread_completed', { cost });
  if (status === 'cancelled') services.journal.record(thread, 'thread_cancelled', { reason: message, cost });
  if (status === 'error') {
    services.journal.record(thread, 'thread_error', { error: { code: failure?.code ?? 'internal', message }, cost });
  }
  const { outputs, text, failure: error } = thread;
  writeEnding(thread, services, { status, outputs, text, error, cost: used });
}

/** Commits the ending; the host and everyone who waits hear of it when it is on disk. */
function writeEnding(thread: Thread, services: Services, ending: Ending & { readonly status: EndStatus }): void {
  const { status, outputs } = ending;
  const stored = endingJson(ending);
  thread.ended = true;
  services.journal.commit(thread, { status: { to: status, ending: stored } }, (_result, last) => {
    services.report({
      type: 'ended',
      thread: thread.lineage.thread,
      ending: stored,
      ...hooksLeft(thread),
      ...(last && { last }),
    });
    leave(thread, services, { status, outputs });
  });
}

/** A runtime that closes waits for what runs after the end, if the host knows of it. */
function hooksLeft({ plan }: Thread): { readonly hooksLeft?: true } {
  return plan.hooks.has('after_complete') ? HOOKS_LEFT : NONE_LEFT;
}

const HOOKS_LEFT = { hooksLeft: true } as const;
const NONE_LEFT = {} as const;

/** What hooks hear of an ending, beside what the thread has used: nothing changes that any more. */
type Ended = Pick<Ending, 'status' | 'outputs'>;

function leave(thread: Thread, services: Services, ended: Ended): void {
  services.forget(thread);
  runAfterComplete({ thread, services }, ended, () => {
    if (hooksLeft(thread).hooksLeft) services.report({ type: 'hooksDone', thread: thread.lineage.thread });
    services.leave(thread);
  });
}

/** Runs the `after_complete` hooks. The thread has ended: what they emit is refused, what they return is ignored. */
function runAfterComplete({ thread, services }: InWorker, { status, outputs }: Ended, done: () => void): void {
  const context = (): Record<string, unknown> => ({
    thread_id: thread.lineage.threadId,
    status,
    outputs,
    cost: costPayload(costOf(thread)),
  });
  try {
    runHooks({ thread, services, event: 'after_complete', context }, (control, by) => {
      const decides = control && control.action !== 'continue' && control.action !== 'skip';
      if (decides) warnOfControl({ thread, services, event: 'after_complete', by }, control);
      done();
    });
  } catch (thrown) {
    services.report({ type: 'problem', failure: toFailure(thrown, 'hook_failed') });
    done();
  }
}
