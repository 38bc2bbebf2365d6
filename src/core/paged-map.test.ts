import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createIdMap, createNumberedMap, pageOfId } from './paged-map.ts';
import { createThreadIds } from './ids.ts';

test('says of every key what a plain map says', () => {
  // Few keys, so that they meet again; on several pages, and past 32 bits.
  const key = fc.constantFrom(1, 2, 255, 256, 257, 512, 2 ** 40, 2 ** 40 + 256);
  const change = fc.record({ key, value: fc.option(fc.integer(), { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const paged = createNumberedMap<number>();
      const plain = new Map<number, number>();
      for (const { key: at, value } of changes) {
        const changed = [paged, plain].map((map) => (value === undefined ? map.delete(at) : void map.set(at, value)));
        expect(changed[0]).toBe(changed[1]);
        expect([paged.get(at), paged.has(at), paged.size()]).toEqual([plain.get(at), plain.has(at), plain.size]);
      }
      const sorted = (values: Iterable<number>): number[] => [...values].toSorted((one, other) => one - other);
      expect(sorted(paged.values())).toEqual(sorted(plain.values()));
    }),
  );
});

test('values of numbers that were given out in order come in order', () => {
  const map = createNumberedMap<number>();
  const numbers = Array.from({ length: 20_000 }, (_, index) => index + 1);
  for (const number of numbers) map.set(number, number);
  expect([...map.values()]).toEqual(numbers);
});

test('who goes through it may take out and put in: nothing comes twice, and nothing that stays is left out', () => {
  const map = createNumberedMap<number>();
  for (let number = 0; number < 1_000; number++) map.set(number, number);
  const seen: number[] = [];
  for (const number of map.values()) {
    seen.push(number);
    map.delete(number);
    // After the last of a page, the next ones begin a page anew.
    if (number < 1_000) map.set(number + 1_000, number + 1_000);
  }
  expect(seen).toEqual(Array.from({ length: 2_000 }, (_, number) => number));
  expect(map.size()).toBe(0);
});

test('what was cleared begins anew', () => {
  const map = createNumberedMap<number>();
  for (const number of [1, 2, 300]) map.set(number, number);
  map.clear();
  expect([map.size(), map.get(1), [...map.values()]]).toEqual([0, undefined, []]);
  map.set(300, 1);
  expect([map.size(), [...map.values()], map.delete(300)]).toEqual([1, [1], true]);
});

test('ids of 100,000 threads are spread over 256 pages', () => {
  let seed = 1;
  // Any bytes that look random, the same ones every time.
  const randomBytes = (size: number): Uint8Array =>
    Uint8Array.from({ length: size }, () => ((seed = Math.imul(seed, 1_664_525) + 1_013_904_223), seed >>> 24));
  const newId = createThreadIds(() => 0, randomBytes);
  const pages = Array.from({ length: 100_000 }, () => pageOfId(newId()));
  expect(new Set(pages).size).toBe(256);
  expect(largestPage(pages)).toBeLessThan(600);
});

test.each([undefined, null, 7, {}, '', 'x'])('what is no id is not in it: %s', (asked) => {
  const map = createIdMap<number>();
  map.set('thread-1', 1);
  // A caller in JavaScript may ask for anything.
  expect(map.get(asked as string)).toBeUndefined();
});

function largestPage(pages: readonly (number | string)[]): number {
  const counts = new Map<number | string, number>();
  for (const page of pages) counts.set(page, (counts.get(page) ?? 0) + 1);
  return Math.max(...counts.values());
}
