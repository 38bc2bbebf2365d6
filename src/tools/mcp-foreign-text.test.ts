import { expect, test } from 'vitest';
import { foreignText } from './mcp-foreign-text.ts';

test('A text is not cut in the middle of a character', () => {
  expect(foreignText(`${'a'.repeat(8)}😀${'b'.repeat(9)}`, 10)).toBe(`${'a'.repeat(8)}…`);
});
