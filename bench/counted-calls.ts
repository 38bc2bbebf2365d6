import { modelDelay, type Work } from './workload.ts';

/** Calls of models, and how many of them are under way. */
export type Calls = {
  /** One that takes long and listens to its signal. */
  readonly call: Work['callModel'];
  /** One of a parent, that answers at once. */
  readonly quick: Work['callModel'];
  /** Long ones that are under way. */
  live(): number;
  /** Of either kind, so far. */
  begun(): number;
  /** Settles when so many long ones are under way. */
  reach(count: number): Promise<void>;
};

/** Makes those of one crowd; a long one takes `llmMs` if it is left alone. */
export function createCalls(llmMs: number): Calls {
  let live = 0;
  let begun = 0;
  let wanted = Infinity;
  const reached = Promise.withResolvers<void>();
  return {
    call: (signal) =>
      new Promise((resolve, reject) => {
        begun++;
        if (++live >= wanted) reached.resolve();
        const end = (settle: () => void) => (): void => {
          live--;
          clearTimeout(timer);
          signal?.removeEventListener('abort', aborted);
          settle();
        };
        const aborted = end(() => reject(signal?.reason as Error));
        const timer = setTimeout(end(resolve), llmMs);
        signal?.addEventListener('abort', aborted);
      }),
    quick() {
      begun++;
      return modelDelay(0);
    },
    live: () => live,
    begun: () => begun,
    reach(count) {
      wanted = count;
      if (live >= count) reached.resolve();
      return reached.promise;
    },
  };
}
