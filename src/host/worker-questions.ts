import type { SpawnRequest, ThreadSpec } from '../core/protocol.ts';
import type { Result } from '../core/result.ts';
import type { Gateway } from './gateway.ts';
import type { WorkerQuestions } from './host-context.ts';

/** The host's questions to workers: which answer belongs to whom. */
export function createWorkerQuestions(gateway: () => Gateway): WorkerQuestions {
  const open = new Map<number, (answer: Result<ThreadSpec>) => void>();
  let lastRef = 0;
  return {
    ask(request: SpawnRequest, worker, done) {
      const ref = ++lastRef;
      open.set(ref, done);
      gateway().send(worker, { type: 'prepare', ref, request });
    },
    answer(ref, answer) {
      const done = open.get(ref);
      open.delete(ref);
      done?.(answer);
    },
  };
}
