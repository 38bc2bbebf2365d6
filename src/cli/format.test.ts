import { expect, test } from 'vitest';
import { formatCount, formatDuration } from './format.ts';

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [1234567, '1,234,567'],
])('the count %i is %s', (count, text) => {
  expect(formatCount(count)).toBe(text);
});

test.each([
  [0, '0.0 s'],
  [12_340, '12.3 s'],
  [59_940, '59.9 s'],
  [59_960, '1 min 00 s'],
  [125_000, '2 min 05 s'],
  [3_599_400, '59 min 59 s'],
  [3_599_600, '1 h 00 min'],
  [3_720_000, '1 h 02 min'],
])('%i ms are %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
