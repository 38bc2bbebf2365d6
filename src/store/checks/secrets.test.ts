import { expect, test } from 'vitest';
import { storedSecrets } from './secrets.ts';

const PIN = '17123456';

/** Whether the digits of a password are told of as a secret in a text. */
function isTold(text: string): boolean {
  return [...storedSecrets(text, new Map([['the value of PIN', PIN]]))].length > 0;
}

test.each([
  `my pin is ${PIN}.`,
  `pin-${PIN}`,
  `${PIN}-x`,
  `code${PIN}`,
  PIN,
  `{"pin":"${PIN}"}`,
  `{"time":1712345678901,"text":"it is ${PIN}"}`,
])('Digits that are a password are found in %s', (text) => {
  expect(isTold(text)).toBe(true);
});

test.each([
  '{"sequence":1,"time":1712345678901,"payload":{}}',
  `{"tokens":${PIN}}`,
  `{ "tokens": ${PIN} }`,
  `[${PIN}, -2]`,
  '{"n":-17123456.5e+2}',
])('They are none where JSON has a number: %s', (text) => {
  expect(isTold(text)).toBe(false);
});
