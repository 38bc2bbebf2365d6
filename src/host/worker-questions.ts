import type { Failure } from '../core/errors.ts';
import type { SpawnRequest, ThreadSpec } from '../core/protocol.ts';
import { failed, type Result } from '../core/result.ts';
import type { Gateway } from './gateway.ts';
import type { WorkerQuestions } from './host-context.ts';

/** The host's questions to workers: which answer belongs to whom. */
export function createWorkerQuestions(gateway: () => Gateway): WorkerQuestions {
  const open = new Map<number, (answer: Result<ThreadSpec>) => void>();
  let lastRef = 0;
  let closed: Failure | undefined;
  const answer: WorkerQuestions['answer'] = (ref, given) => {
    const done = open.get(ref);
    open.delete(ref);
    done?.(given);
  };
  return {
    ask(request: SpawnRequest, worker, done) {
      if (closed) return done(failed(closed));
      const ref = ++lastRef;
      open.set(ref, done);
      gateway().send(worker, { type: 'prepare', ref, request });
    },
    answer,
    close(failure) {
      closed = failure;
      for (const ref of open.keys()) answer(ref, failed(failure));
    },
  };
}
