import { fromFailure } from '../../core/errors.ts';
import { threadOutcome } from '../../core/thread-outcome.ts';
import type { OngoingWait } from '../waits/waits.ts';
import { refused, type Operation } from './operation.ts';

/** Waits for threads, as `coordination` of `resilience.yaml` says (contracts, `wait_threads`). */
export const waitThreads: Operation<'wait_threads'> = ({ input, find, signal, sources }) => {
  const { thread_ids: threadIds, timeout } = input;
  const { maxWaitThreadIds, waitTimeoutSeconds, failFast } = sources.config.resilience.coordination;
  if (threadIds.length > maxWaitThreadIds) {
    const error = `wait_threads takes at most ${maxWaitThreadIds} thread_ids at once, not ${threadIds.length}`;
    return refused('invalid_argument', error);
  }
  return new Promise((resolve, reject) => {
    let wait: OngoingWait | undefined;
    const abandon = (): void => {
      wait?.giveUp();
      resolve(refused('cancelled', 'Nobody waits any more'));
    };
    signal?.addEventListener('abort', abandon, { once: true });
    wait = sources.wait({
      threadIds,
      timeoutMs: (timeout ?? waitTimeoutSeconds) * 1000,
      until: failFast ? 'failFast' : 'all',
      isVisible: (id) => find(id) !== undefined,
      done(answer) {
        signal?.removeEventListener('abort', abandon);
        if (!answer.ok) return reject(fromFailure(answer.failure));
        const results = answer.value.map(threadOutcome);
        resolve({ success: results.every(({ success }) => success), results });
      },
    });
  });
};
