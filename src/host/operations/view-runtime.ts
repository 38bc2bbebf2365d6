import type { Operation } from './operation.ts';

/** How busy the runtime is. */
export const viewRuntime: Operation<'view_runtime'> = async ({ sources }) => {
  const { running, queued, workers } = await sources.view();
  return {
    success: true,
    running,
    queued,
    workers: workers.map(({ number, threads, states, turns, spend, events, inputTokens, cacheReadTokens }) => {
      const tokens = { input_tokens: inputTokens, cache_read_tokens: cacheReadTokens };
      return { number, threads, states, turns, spend, ...tokens, events };
    }),
  };
};
