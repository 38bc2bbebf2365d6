import { expect, test } from 'vitest';
import type { ContextChange } from '../../core/context-change.ts';
import { encodeEvent } from '../../core/events.ts';
import { loggedContext, wholeContext } from './shown-context.ts';

const logOf = (changes: readonly ContextChange[]): string =>
  changes
    .map((payload, at) => encodeEvent({ sequence: at + 1, event_type: 'context_changed', time: 0, payload }))
    .join('');

const page = { url: 'https://example.com/', content: 'text' };
const CHANGES: readonly ContextChange[] = [
  { selected: ['a.ts', 'b.ts'] },
  { fetched: page },
  { review: { base: 'abc' } },
  { selected: ['c.ts'] },
  { dropped: ['a.ts'] },
];

test('What a thread shows is folded from its log, and what comes after a checkpoint is told apart', () => {
  const read = loggedContext(logOf(CHANGES), 3);
  expect([...read.selected]).toEqual(['b.ts', 'c.ts']);
  expect([...read.pages]).toEqual([[page.url, { content: page.content }]]);
  expect(read.review).toBe('abc');
  expect(read.later).toEqual(CHANGES.slice(3));
});

test('What is left of it leads to the same again', () => {
  const whole = wholeContext(loggedContext(logOf(CHANGES)));
  expect(whole).toEqual([{ selected: ['b.ts', 'c.ts'] }, { fetched: page }, { review: { base: 'abc' } }]);
  const { selected, pages, review } = loggedContext(logOf(CHANGES));
  expect(loggedContext(logOf(whole))).toMatchObject({ selected, pages, review });
});

test.each<[string, ContextChange]>([
  ['a page', { forgotten: [page.url] }],
  ['a review', { review: null }],
])('%s is shown until it is taken away', (_, change) => {
  const whole = wholeContext(loggedContext(logOf([{ fetched: page }, { review: { base: 'abc' } }, change])));
  expect(whole).toHaveLength(1);
});
