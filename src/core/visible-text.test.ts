import { expect, test } from 'vitest';
import { visibleText } from './visible-text.ts';

test.each([
  ['plain ä 中 😀', 'plain ä 中 😀'],
  ['\u001b[31mred\u0007', '\\u001b[31mred\\u0007'],
  ['a\nb\tc\r\0', 'a\\u000ab\\u0009c\\u000d\\u0000'],
  ['\u009b31m\u007f', '\\u009b31m\\u007f'],
  ['\u202eabc\u2066\u2028\ufeff', '\\u202eabc\\u2066\\u2028\\ufeff'],
  ['zero\u200b\u2060 tag\u{e0041} half \ud800', 'zero\\u200b\\u2060 tag\\udb40\\udc41 half \\ud800'],
  ['joined \u200c\u200d 👩‍🚀 ❤️', 'joined \u200c\u200d 👩‍🚀 ❤️'],
])('%j is shown as %j', (text, shown) => {
  expect(visibleText(text)).toBe(shown);
});
