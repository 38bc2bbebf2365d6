import { expect, test } from 'vitest';
import { foreignText } from './mcp-foreign-text.ts';

test('A text is not cut in the middle of a character', () => {
  expect(foreignText(`${'a'.repeat(8)}😀${'b'.repeat(9)}`, 10)).toBe(`${'a'.repeat(8)}…`);
});

test.each([
  ['selectors of variants', 'a\u{E0100}\u{E01EF}\uFE00\uFE0Fb'],
  ['fillers', 'a\u3164\u115F\u1160\uFFA0\u034Fb'],
  ['tags and zero-width spaces', 'a\u{E0001}\u{E0041}\u200B\uFEFFb'],
  ['what reorders it, joiners and private use', 'a\u202E\u2066\u200D\uE000b'],
  ['controls and separators', 'a\u0007\u009B\u2028\rb'],
])('A text is without %s', (_, text) => {
  expect(foreignText(text, 100)).toBe('ab');
});
