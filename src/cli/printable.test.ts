import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printable, printableJson, printableText } from './printable.ts';

describe('printable', () => {
  test.each([
    ['plain text, ünï, 漢字, 👍', 'plain text, ünï, 漢字, 👍'],
    ['a\nb\r\nc\td', 'a\\nb\\r\\nc\\td'],
    ['\u001b[31mred\u001b[0m', '\\x1b[31mred\\x1b[0m'],
    ['\u0000\u0007\u007f\u009b2J', '\\x00\\x07\\x7f\\x9b2J'],
    ['user\u202egpj.exe', 'user\\u202egpj.exe'],
    ['\u2066a\u2069\u200e\u200f\u061c\ufeff\u2028', '\\u2066a\\u2069\\u200e\\u200f\\u061c\\ufeff\\u2028'],
    ['half \ud800 pair', 'half \\ud800 pair'],
    ['\u001b]0;title\u0007\u001b]8;;http://evil\u001b\\\\link', '\\x1b]0;title\\x07\\x1b]8;;http://evil\\x1b\\\\link'],
    ['tags \u{e0041}\u{e007f}', 'tags \\udb40\\udc41\\udb40\\udc7f'],
    ['joined \u200c\u200d 👩‍🚀 ❤️', 'joined \u200c\u200d 👩‍🚀 ❤️'],
    ['fill \u034f\u115f\u3164\uffa0\u180b', 'fill \\u034f\\u115f\\u3164\\uffa0\\u180b'],
    ['select \u{e0100}\u{e01ef}', 'select \\udb40\\udd00\\udb40\\uddef'],
    ['soft\u00ad zero\u200b\u2060 \ufff9', 'soft\\xad zero\\u200b\\u2060 \\ufff9'],
  ])('%j becomes %j', (text, expected) => {
    expect(printable(text)).toBe(expected);
  });

  test('never leaves a control character, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (text) => {
        expect(printable(text)).not.toMatch(/\p{Cc}|[\u202A-\u202E\u2066-\u2069]/u);
      }),
    );
  });
});

test('printableText keeps line breaks and tabs alone', () => {
  expect(printableText('a\r\nb\n\tc\rd\u001b')).toBe('a\nb\n\tc\\rd\\x1b');
});

test('printableJson is one harmless line that parses to the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
      const json = printableJson({ value, text });
      expect(json).not.toMatch(/\p{Cc}|\p{Cs}|[\u202A-\u202E]/u);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ value, text })));
    }),
  );
});
