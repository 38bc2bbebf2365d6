import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineSplitter } from './line-splitter.ts';

test('Lines come out whole, however their bytes arrive', () => {
  const line = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', ''));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(20), { minLength: 1 }), (lines, sizes) => {
      const splitter = createLineSplitter(1_000);
      const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(''));
      const found: string[] = [];
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const size = (sizes[turn % sizes.length] ?? 0) + 1;
        found.push(...(splitter.push(bytes.subarray(at, at + size)) ?? ['too long']));
        at += size;
      }
      expect(found).toEqual(lines.map((each) => Buffer.from(each).toString()));
      expect(splitter.isOpen()).toBe(false);
    }),
  );
});

test.each([
  ['as long as allowed', '1234\n', ['1234']],
  ['one byte longer', '12345\n', undefined],
  ['longer, without an end', '12345', undefined],
  ['two that are not', '123\n1234\n', ['123', '1234']],
])('A line %s is judged by its own bytes', (_, text, lines) => {
  expect(createLineSplitter(4).push(Buffer.from(text))).toEqual(lines);
});

test.each([
  ['as long as allowed', ['12', '34\n'], [[], ['1234']]],
  ['longer', ['123', '45'], [[], undefined]],
  ['longer, after one that is not', ['1\n123', '45\n'], [['1'], undefined]],
])('A line in pieces is as long as all of them: %s', (_, pieces, lines) => {
  const splitter = createLineSplitter(4);
  expect(pieces.map((piece) => splitter.push(Buffer.from(piece)))).toEqual(lines);
});

test.each(['12345', '12345\n', '1\n12345\n2\n'])('After a line that is too long nothing more is read: %j', (text) => {
  const splitter = createLineSplitter(4);
  expect([text, '\n', '1\n'].map((piece) => splitter.push(Buffer.from(piece)))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
