import { expect, test } from 'vitest';
import { createCacheReport } from './cache-report.ts';

test('a report adds up what the provider says, and says which share came from its cache', () => {
  const report = createCacheReport();
  expect(report.shareRead()).toBe(0);
  report.record({ inputTokens: 1000, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 900 });
  report.record({ inputTokens: 1000, outputTokens: 20, cacheReadTokens: 900, cacheWriteTokens: 50 });
  expect(report.total()).toEqual({ inputTokens: 2000, outputTokens: 30, cacheReadTokens: 900, cacheWriteTokens: 950 });
  expect(report.shareRead()).toBe(0.45);
});
