import { describe, expect, test } from 'vitest';
import { asWords, formatDuration, formatShort, formatSpan, formatTime, formatUsd, shortId } from './format-values.ts';

describe('Values on the page', () => {
  test.each([
    [0, '$0'],
    [0.000042, '$0.000042'],
    [0.0123, '$0.012'],
    [0.5, '$0.50'],
    [1.234, '$1.23'],
    [-0.25, '−$0.25'],
    [1234.5, '$1,234.50'],
  ])('%d USD is %s', (usd, text) => {
    expect(formatUsd(usd)).toBe(text);
  });

  test.each([
    [812, '812'],
    [12_400, '12.4k'],
    [999_949, '999.9k'],
    [3_100_000, '3.1M'],
  ])('%d in a column is %s', (count, text) => {
    expect(formatShort(count)).toBe(text);
  });

  test.each([
    [-3, '0 ms'],
    [12, '12 ms'],
    [400, '0.4 s'],
    [59_949, '59.9 s'],
    [59_951, '1 min 00 s'],
    [125_000, '2 min 05 s'],
    [3_725_000, '1 h 02 min'],
  ])('%d ms is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  test.each([
    [-5, '0 s'],
    [54_900, '54 s'],
    [104_000, '1m 44s'],
    [7_560_000, '2h 06m'],
    [273_600_000, '3d 04h'],
  ])('%d ms in a column is %s', (ms, text) => {
    expect(formatSpan(ms)).toBe(text);
  });

  test('A time of another day has its date', () => {
    const at = new Date(2026, 10, 22, 14, 3, 7).getTime();
    expect(formatTime(at, at + 60_000)).toBe('14:03:07');
    expect(formatTime(at, at + 86_400_000)).toBe('2026-11-22 14:03:07');
  });

  test('An id shows its end, a name its words', () => {
    expect(shortId('thread-0193a7b4c2d17e8f9a0b1c2d3e4f5061')).toBe('…4f5061');
    expect(shortId('t1')).toBe('t1');
    expect(asWords('waitingForChildren')).toBe('waiting for children');
    expect(asWords('spend_exceeded')).toBe('spend exceeded');
  });
});
