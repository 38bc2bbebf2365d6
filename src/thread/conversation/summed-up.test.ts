import { expect, test } from 'vitest';
import { createTiersBench } from '../../../test/fixtures/tiers-bench.ts';
import { isHistoryLong } from './summed-up.ts';

test('A history is long by the counter of the model that the thread has now', async () => {
  using bench = await createTiersBench({ files: {} });
  const { thread } = bench;
  const { model } = thread.plan;
  for (let at = 0; at < 10; at++)
    thread.messages.push({ role: 'user', text: 'go on' }, { role: 'assistant', text: 'x'.repeat(9000), toolCalls: [] });
  expect(isHistoryLong(thread)).toBe(true);
  const count = (text: string): number => model.counter.count(text) / 2;
  thread.plan = { ...thread.plan, model: { ...model, counter: { ...model.counter, count } } };
  expect(isHistoryLong(thread)).toBe(false);
});
