import type { Clock, Timer } from '../core/clock.ts';
import type { HostQuestion, WorkerReport } from '../core/protocol.ts';
import { failed, type Result } from '../core/result.ts';
import type { Failure } from '../core/errors.ts';
import type { RunningTool } from '../core/tool.ts';

/** A worker's questions to the host: each has a number, and gets one answer or a timeout. */
export interface HostQuestions {
  /** Asks; `done` is called once, never after `abort`. */
  ask(question: HostQuestion, done: (answer: Result<unknown>) => void, timeoutMs?: number): RunningTool;
  /** The host's answer to question `ref`; late ones are dropped. */
  answer(ref: number, answer: Result<unknown>): void;
  /** Number of questions without an answer. */
  open(): number;
}

type Asked = { readonly done: (answer: Result<unknown>) => void; readonly timer: Timer | undefined };

/** Makes the questions of one worker. */
export function createHostQuestions(report: (report: WorkerReport) => void, clock: Clock): HostQuestions {
  const open = new Map<number, Asked>();
  let lastRef = 0;

  const close = (ref: number): Asked | undefined => {
    const asked = open.get(ref);
    open.delete(ref);
    if (asked?.timer !== undefined) clock.clearTimer(asked.timer);
    return asked;
  };
  const abandon = (ref: number): Asked | undefined => {
    const asked = close(ref);
    if (asked) report({ type: 'abandon', ref });
    return asked;
  };

  return {
    ask(question, done, timeoutMs) {
      const ref = ++lastRef;
      const timer =
        timeoutMs === undefined
          ? undefined
          : clock.setTimer(timeoutMs, () => abandon(ref)?.done(failed(timedOut(timeoutMs))));
      open.set(ref, { done, timer });
      report({ ref, ...question });
      return { abort: () => void abandon(ref) };
    },
    answer(ref, answer) {
      close(ref)?.done(answer);
    },
    open: () => open.size,
  };
}

function timedOut(timeoutMs: number): Failure {
  return { code: 'deadline_exceeded', message: `The host did not answer within ${timeoutMs} ms` };
}
