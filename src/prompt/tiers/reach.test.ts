import { expect, test } from 'vitest';
import type { Message } from '../../core/conversation.ts';
import type { CacheMark } from '../../core/provider.ts';
import { markInReach } from './reach.ts';

const says = (count: number): Message[] => Array.from({ length: count }, (_, at) => ({ role: 'user', text: `${at}` }));
const sent = (count: number, cacheMarks: readonly CacheMark[]) => ({ system: 's', messages: says(count), cacheMarks });

test.each<[string, CacheMark[], number[], CacheMark[]]>([
  ['what a mark leads to is found', ['system', 29], [10], ['system', 29]],
  ['what is too far away gets a mark', ['system', 30], [10], ['system', 10, 30]],
  ['of too many marks one goes that has less in front of it', ['system', 1, 2, 39], [10], [1, 2, 10, 39]],
  ['of too many marks behind it the second goes', [31, 32, 33, 39], [10], [10, 31, 33, 39]],
  ['what is further than both have in common is nothing', ['system', 39], [60], ['system', 39]],
])('%s', (_, marks, kept, wanted) => {
  const before = { ...sent(50, []), kept };
  expect(markInReach(sent(40, marks), before, { most: 4, end: 40 }).cacheMarks).toEqual(wanted);
});

test.each<[string, number[], CacheMark[], number[]]>([
  ['are taken to be the same', [10], ['system', 10, 38], [-1, 10, 38]],
  ['are nothing where the prompt stands now, or behind it', [10, 39, 60], ['system', 10, 38], [-1, 10, 38]],
])('after a restart the places of before %s', (_, kept, cacheMarks, next) => {
  const marked = markInReach(sent(40, ['system', 38]), { kept }, { most: 4, end: 39 });
  expect(marked).toMatchObject({ cacheMarks, kept: next });
});

test('what was kept up to the message that is the prompt now is nothing, also if its text is the same', () => {
  const before = { ...sent(40, []), kept: [10, 39] };
  const marked = markInReach(sent(40, ['system', 38]), before, { most: 4, end: 39 });
  expect(marked).toMatchObject({ cacheMarks: ['system', 10, 38], kept: [-1, 10, 38] });
});
