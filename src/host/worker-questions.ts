import type { Failure } from '../core/errors.ts';
import { failed, type Result } from '../core/result.ts';
import type { Gateway } from './gateway.ts';
import type { WorkerQuestions } from './host-context.ts';

/** What the host asks of workers: which answer belongs to whom. */
export function createWorkerQuestions<Answer>(gateway: () => Gateway): WorkerQuestions<Answer> {
  const open = new Map<number, (answer: Result<Answer>) => void>();
  let lastRef = 0;
  let closed: Failure | undefined;
  const answer: WorkerQuestions<Answer>['answer'] = (ref, given) => {
    const done = open.get(ref);
    open.delete(ref);
    done?.(given);
  };
  return {
    ask(worker, command, done) {
      if (closed) return done(failed(closed));
      const ref = ++lastRef;
      open.set(ref, done);
      gateway().send(worker, command(ref));
    },
    answer,
    close(failure) {
      closed = failure;
      for (const ref of open.keys()) answer(ref, failed(failure));
    },
  };
}
