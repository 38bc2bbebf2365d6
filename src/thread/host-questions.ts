import type { Clock } from '../core/clock.ts';
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

/** Makes the questions of one worker. */
export function createHostQuestions(report: (report: WorkerReport) => void, clock: Clock): HostQuestions {
  const open = new Map<number, (answer: Result<unknown>) => void>();
  let lastRef = 0;

  const withTimeout = (ref: number, timeoutMs: number, done: (answer: Result<unknown>) => void): typeof done => {
    const timer = clock.setTimer(timeoutMs, () => {
      open.delete(ref);
      report({ type: 'abandon', ref });
      done(failed(timedOut(timeoutMs)));
    });
    return (answer) => {
      clock.clearTimer(timer);
      done(answer);
    };
  };

  return {
    ask(question, done, timeoutMs) {
      const ref = ++lastRef;
      open.set(ref, timeoutMs === undefined ? done : withTimeout(ref, timeoutMs, done));
      report({ ref, ...question });
      return {
        abort() {
          if (open.delete(ref)) report({ type: 'abandon', ref });
        },
      };
    },
    answer(ref, answer) {
      const done = open.get(ref);
      open.delete(ref);
      done?.(answer);
    },
    open: () => open.size,
  };
}

function timedOut(timeoutMs: number): Failure {
  return { code: 'deadline_exceeded', message: `The host did not answer within ${timeoutMs} ms` };
}
