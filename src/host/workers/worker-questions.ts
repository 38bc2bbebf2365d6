import type { Failure } from '../../core/errors.ts';
import { failed, type Result } from '../../core/result.ts';
import { createNumberedMap } from '../../core/paged-map.ts';
import type { Gateway } from './gateway.ts';
import type { WorkerQuestions } from '../host-context.ts';

/** What the host asks of workers: which answer belongs to whom. */
export function createWorkerQuestions<Answer>(gateway: () => Gateway): WorkerQuestions<Answer> {
  const open = createNumberedMap<Asked<Answer>>();
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
      open.set(ref, { ref, worker, done });
      gateway().send(worker, command(ref));
    },
    answer,
    lost(worker, failure) {
      for (const asked of open.values()) if (asked.worker === worker) answer(asked.ref, failed(failure));
    },
    close(failure) {
      closed = failure;
      for (const { ref } of open.values()) answer(ref, failed(failure));
    },
  };
}

type Asked<Answer> = {
  readonly ref: number;
  readonly worker: number;
  readonly done: (answer: Result<Answer>) => void;
};
