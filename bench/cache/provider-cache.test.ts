import { expect, test } from 'vitest';
import { costOf, ProviderCache, type Request } from './provider-cache.ts';

const request = (ids: string, ...marks: readonly number[]): Request => ({
  blocks: ids.split('').map((id) => ({ id, tokens: 1000 })),
  marks,
});

test.each([
  ['a prefix that ends at a mark', request('ab', 1), request('abc', 1), { read: 2000, written: 0, uncached: 1000 }],
  ['one that ended before the mark', request('ab', 1), request('abcd', 3), { read: 2000, written: 2000, uncached: 0 }],
  ['nothing where no mark was', request('abc', 2), request('abd', 1), { read: 0, written: 2000, uncached: 1000 }],
  ['nothing behind a change', request('abc', 2), request('xbc', 2), { read: 0, written: 3000, uncached: 0 }],
  ['nothing below the minimum', request('a', 0), request('ab', 0), { read: 0, written: 0, uncached: 2000 }],
  ['nothing without marks', request('abc'), request('abc'), { read: 0, written: 0, uncached: 3000 }],
  [
    'nothing more than 20 blocks before the mark',
    request('ab', 1),
    request('abcdefghijklmnopqrstuvw', 22),
    { read: 0, written: 23_000, uncached: 0 },
  ],
])('the cache reads %s', (_, first, second, expected) => {
  const cache = new ProviderCache();
  cache.send(first);
  expect(cache.send(second)).toEqual(expected);
});

test('more marks than allowed are refused, and tokens have their prices', () => {
  expect(() => new ProviderCache().send(request('abcde', 0, 1, 2, 3, 4))).toThrow('5 marks, 4 are allowed');
  expect(costOf({ read: 1000, written: 100, uncached: 10 })).toBe(235);
});
