import { describe, expect, test } from 'vitest';
import { findCodeFences } from './code-fences.ts';

const show = (text: string): string[] =>
  findCodeFences(text).map((f) => `${f.language}@${f.contentLine}:${text.slice(f.contentStart, f.contentEnd)}`);

describe('code fences', () => {
  test.each([
    ['a plain block', 'x\n```xml\na\nb\n```\ny', ['xml@3:a\nb']],
    ['a block with CRLF', '```xml\r\na\r\n```\r\n', ['xml@2:a']],
    ['an empty block', '```\n```\n', ['@2:']],
    ['tildes', '~~~yaml\na\n~~~\n', ['yaml@2:a']],
    ['a longer fence around a shorter one', '````md\n```xml\na\n```\n````\n', ['md@2:```xml\na\n```']],
    ['a closing line longer than the opening one', '```\na\n`````\n', ['@2:a']],
    ['a shorter line does not close', '````\n```\n', ['@2:```']],
    ['an unclosed block', '```xml\na', ['xml@2:a']],
    ['a line with text does not close', '```\na\n``` x\n```\n', ['@2:a\n``` x']],
    ['four spaces are no fence', '    ```\n', []],
    ['three spaces are', '   ```js title=x\na\n```', ['js@2:a']],
    ['backticks in the info are no fence', '``` a`b\n', []],
    ['two blocks', '```a\n1\n```\n```B\n2\n```', ['a@2:1', 'b@5:2']],
  ])('finds %s', (_, text, expected) => {
    expect(show(text)).toEqual(expected);
  });
});
