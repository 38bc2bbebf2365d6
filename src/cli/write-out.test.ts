import { describe, expect, test } from 'vitest';
import { fitted, fittedLines, writeOut } from './write-out.ts';

const ID = `thread-${'0'.repeat(32)}`;

describe('A line', () => {
  test.each<[string, { readonly isTTY?: boolean; readonly columns?: number }, number]>([
    ['is cut to a terminal', { isTTY: true, columns: 80 }, 79],
    ['keeps the id of its thread on a narrow one', { isTTY: true, columns: 10 }, 50],
    ['is whole on a wide one', { isTTY: true, columns: 500 }, 139],
    ['is whole on a terminal of unknown width', { isTTY: true }, 139],
    ['is whole in a pipe', { columns: 10 }, 139],
  ])('%s', (_, terminal, length) => {
    const line = `${ID}${'x'.repeat(100)}`;
    const shown = fitted(line, { write: () => true, ...terminal });
    expect(shown).toHaveLength(length);
    expect(shown.startsWith(ID)).toBe(true);
  });

  test.each([
    [{ isTTY: true, columns: 80 }, `${'x'.repeat(37)}…  ${ID}`],
    [{ isTTY: true, columns: 10 }, `${'x'.repeat(8)}…  ${ID}`],
    [{ isTTY: true, columns: 0 }, `${'x'.repeat(100)}  ${ID}`],
    [{ columns: 10 }, `${'x'.repeat(100)}  ${ID}`],
  ])('is cut before an end that stays: %j', (terminal, shown) => {
    expect(fitted('x'.repeat(100), { write: () => true, ...terminal }, `  ${ID}`)).toBe(shown);
  });

  test('is cut where others are not', () => {
    const terminal = { write: () => true, isTTY: true, columns: 60 };
    expect(fittedLines(`short\n${'x'.repeat(70)}\n`, terminal)).toBe(`short\n${'x'.repeat(58)}…\n`);
  });
});

test('A reader that is slow is waited for', async () => {
  const heard: (() => void)[] = [];
  const stream = { write: () => false, once: (_: 'drain', listener: () => void) => heard.push(listener) };
  let isWritten = false;
  const writing = writeOut(stream, 'text').then(() => (isWritten = true));
  await new Promise(setImmediate);
  expect([isWritten, heard.length]).toEqual([false, 1]);
  for (const listener of heard) listener();
  await writing;
});
