import type { HostQuestion, WorkerReport } from '../../core/protocol.ts';
import type { Result } from '../../core/result.ts';
import type { RunningTool } from '../../core/tool.ts';

/** A worker's questions to the host: each has a number, and gets one answer unless it is given up. */
export interface HostQuestions {
  /** Asks; `done` is called once, never after `abort`. */
  ask(question: HostQuestion, done: (answer: Result<unknown>) => void): RunningTool;
  /** The host's answer to question `ref`; false if nobody waits for it any more. */
  answer(ref: number, answer: Result<unknown>): boolean;
  /** Number of questions without an answer. */
  open(): number;
}

type Asked = { readonly question: HostQuestion; readonly done: (answer: Result<unknown>) => void };

/** Makes the questions of one worker. */
export function createHostQuestions(report: (report: WorkerReport) => void): HostQuestions {
  const open = new Map<number, Asked>();
  let lastRef = 0;

  const abandon = (ref: number, stays: boolean | undefined): void => {
    const asked = open.get(ref);
    if (!open.delete(ref) || !asked) return;
    const { question } = asked;
    const spawns = question.type === 'spawn';
    report({ type: 'abandon', ref, ...(spawns && { parent: question.thread, ...(stays && { stays }) }) });
  };

  return {
    ask(question, done) {
      const ref = ++lastRef;
      open.set(ref, { question, done });
      report({ ref, ...question });
      return { abort: (stays) => abandon(ref, stays) };
    },
    answer(ref, answer) {
      const asked = open.get(ref);
      open.delete(ref);
      asked?.done(answer);
      return asked !== undefined;
    },
    open: () => open.size,
  };
}
