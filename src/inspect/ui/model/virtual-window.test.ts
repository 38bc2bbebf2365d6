import { describe, expect, test } from 'vitest';
import { scrollToRow, visibleRows } from './virtual-window.ts';

const view = (scrollTop: number) => ({ scrollTop, height: 300, rowHeight: 30 });

describe('The rows that exist', () => {
  test.each([
    [10_000, 0, { first: 0, end: 19 }],
    [10_000, 3_000, { first: 92, end: 119 }],
    [10_000, 299_700, { first: 9_982, end: 10_000 }],
    [3, 0, { first: 0, end: 3 }],
    [0, 0, { first: 0, end: 0 }],
    [100, -40, { first: 0, end: 19 }],
  ])('of %i at %i px are those seen and a few more', (count, scrollTop, range) => {
    expect(visibleRows(count, view(scrollTop))).toEqual(range);
  });

  test('begin inside a list that became shorter than where it is scrolled to', () => {
    const { first, end } = visibleRows(5, view(3_000));
    expect([first, end]).toEqual([4, 5]);
  });
});

describe('Scrolling to a row', () => {
  test.each([
    [2, 300, 60],
    [12, 300, 300],
    [30, 300, 630],
  ])('brings row %i into view from %i px at %i px', (row, from, to) => {
    expect(scrollToRow(row, view(from))).toBe(to);
  });

  test('leaves room for a header', () => {
    expect(scrollToRow(19, view(300), 30)).toBe(330);
  });
});
