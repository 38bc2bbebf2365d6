import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineReader } from './mcp-line-reader.ts';

function readIn(chunks: readonly Buffer[], maxBytes: number): { readonly lines: string[]; readonly ok: boolean } {
  const lines: string[] = [];
  const reader = createLineReader(maxBytes, (line) => void lines.push(line));
  const ok = chunks.map((chunk) => reader.push(chunk)).every(Boolean);
  return { lines, ok };
}

test('lines are the same however they are cut into chunks', () => {
  const cuts = fc.array(fc.nat({ max: 60 }));
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), cuts, (texts, sizes) => {
      const lines = texts.map((text) => text.replaceAll('\n', ''));
      let rest = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      const chunks = sizes.map((size) => {
        const chunk = rest.subarray(0, size);
        rest = rest.subarray(size);
        return chunk;
      });
      expect(readIn([...chunks, rest], 10_000)).toEqual({ lines, ok: true });
    }),
  );
});

test.each([
  [['abcde\n'], ['abcde'], true],
  [['abc', 'de\n'], ['abcde'], true],
  [['abcdef\n'], [], false],
  [['a\nabc', 'def'], ['a'], false],
  [['a\nabc', 'def\nb\n'], ['a'], false],
  [['abcdef', '\nb\n'], [], false],
])('in %j of lines of at most five bytes are %j', (chunks, lines, ok) => {
  const read = readIn(
    chunks.map((chunk) => Buffer.from(chunk)),
    5,
  );
  expect(read).toEqual({ lines, ok });
});
