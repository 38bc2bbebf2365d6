import { expect, test } from 'vitest';
import type { Compactor, HistoryMessage } from '../../core/assembly.ts';
import { compactHistory, compactionSpan, historyReplaced } from './compaction.ts';

const limits = { triggerTokens: 100, verbatimTokens: 40 };

const talk = (...tokens: readonly number[]) =>
  tokens.map((count, at) => ({
    id: `m${at}`,
    index: at,
    role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
    text: `text ${at}`,
    toolCalls: [],
    tokens: count,
  }));

const ids = (messages: readonly { readonly id: string }[]): string[] => messages.map(({ id }) => id);

test.each([
  ['nothing while the history is within the trigger', talk(50, 50), []],
  ['all before the verbatim window', talk(50, 30, 20, 10), ['m0', 'm1']],
  ['as much more as fits into the window', talk(90, 5, 10, 5, 10, 5), ['m0', 'm1']],
  ['all but the last question, however long it is', talk(20, 20, 80, 10), ['m0', 'm1']],
  ['nothing of a single exchange', talk(80, 80), []],
])('a summary stands for %s', (_, messages, expected) => {
  expect(ids(compactionSpan(messages, limits))).toEqual(expected);
});

test('a policy is told which messages have gone and which stands for them', async () => {
  const asked: string[] = [];
  const compactor: Compactor = {
    compact: (messages: readonly HistoryMessage[]) => {
      asked.push(...ids(messages));
      return Promise.resolve({ removed: ids(messages), summary: 'short' });
    },
  };
  const done = await compactHistory(talk(50, 30, 20, 10), compactor, { summaryId: 's1', limits });
  expect(asked).toEqual(['m0', 'm1']);
  expect(done).toEqual({ summary: 'short', event: historyReplaced(['m0', 'm1'], ['s1']) });
  expect(done?.event).toEqual({
    kind: 'history_replaced',
    removed: ['history:m0', 'history:m1'],
    added: ['history:s1'],
  });
});

test('a compactor that declines, and a short history, change nothing', async () => {
  let asked = 0;
  const compactor: Compactor = {
    compact: () => {
      asked += 1;
      return Promise.resolve(undefined);
    },
  };
  expect(await compactHistory(talk(50, 30, 20, 10), compactor, { summaryId: 's1', limits })).toBeUndefined();
  expect(await compactHistory(talk(10, 10), compactor, { summaryId: 's1', limits })).toBeUndefined();
  expect(asked).toBe(1);
});
