import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineCounter } from './line-counter.ts';

test('a line number is one more than the line feeds before it', () => {
  const unit = fc.constantFrom('\n', '\r', 'a', '\u{1f4a9}', '\u0a0a');
  fc.assert(
    fc.property(fc.string({ unit }), fc.nat(100), (text, firstLine) => {
      const lineAt = createLineCounter(text, firstLine);
      const offsets = Array.from({ length: text.length + 1 }, (_, offset) => offset);
      const expected = offsets.map((offset) => firstLine + text.slice(0, offset).split('\n').length - 1);
      expect(offsets.map(lineAt)).toEqual(expected);
    }),
  );
});
