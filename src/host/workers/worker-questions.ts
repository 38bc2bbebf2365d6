import type { Failure } from '../../core/errors.ts';
import { failed, type Result } from '../../core/result.ts';
import type { Gateway } from './gateway.ts';
import type { WorkerQuestions } from '../host-context.ts';

/** What the host asks of workers: which answer belongs to whom. */
export function createWorkerQuestions<Answer>(gateway: () => Gateway): WorkerQuestions<Answer> {
  const open = new Map<number, Asked<Answer>>();
  let lastRef = 0;
  let closed: Failure | undefined;
  const answer: WorkerQuestions<Answer>['answer'] = (ref, given) => {
    const asked = open.get(ref);
    open.delete(ref);
    asked?.done(given);
  };
  return {
    ask(worker, command, done) {
      if (closed) return done(failed(closed));
      const ref = ++lastRef;
      open.set(ref, { worker, done });
      gateway().send(worker, command(ref));
    },
    answer,
    lost(worker, failure) {
      for (const [ref, asked] of open) if (asked.worker === worker) answer(ref, failed(failure));
    },
    close(failure) {
      closed = failure;
      for (const ref of open.keys()) answer(ref, failed(failure));
    },
  };
}

type Asked<Answer> = { readonly worker: number; readonly done: (answer: Result<Answer>) => void };
