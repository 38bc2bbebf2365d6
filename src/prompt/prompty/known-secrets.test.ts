import { expect, test } from 'vitest';
import { costOf } from '../../../test/fixtures/cost-of.ts';
import { createKnownSecrets } from './known-secrets.ts';

test('The last secrets are taken out of texts, the oldest are forgotten, and one that is told again is new', () => {
  const secrets = createKnownSecrets(2);
  secrets.add(['first-secret', 'second-secret', 'short']);
  expect(secrets.text('first-secret second-secret short')).toBe('[redacted] [redacted] short');
  secrets.add(['first-secret']);
  secrets.add(['third-secret']);
  expect(secrets.text('first-secret second-secret third-secret')).toBe('[redacted] second-secret [redacted]');
});

test('A value costs nothing but its place while nobody asks', () => {
  const secrets = createKnownSecrets(1_000);
  const add = (): void => {
    for (let at = 0; at < 20_000; at++) secrets.add([`secret-number-${at}`]);
  };
  expect(costOf(add)).toBeLessThan(200);
  expect(secrets.text('secret-number-18999 secret-number-19000')).toBe('secret-number-18999 [redacted]');
});

test('Values may be as long as a certificate or a file, as many as are kept, and begin with one another', () => {
  const values = Array.from({ length: 2_000 }, (_, at) => `${at}-`.padEnd(10_000, 'aB3-'));
  const [first = '', second = ''] = values;
  const secrets = createKnownSecrets(2_001);
  secrets.add([first.slice(0, 9_000), ...values]);
  const look = (): void => {
    const text = secrets.text(JSON.stringify({ a: first, b: `x${second}"`, c: first.slice(0, 9_001) }));
    expect(JSON.parse(text)).toEqual({ a: '[redacted]', b: 'x[redacted]"', c: `[redacted]${first.at(9_000)}` });
  };
  expect(costOf(look)).toBeLessThan(200);
});

const KEY = 'sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAA';

test.each([
  ['a known value in its middle', ['api03-AAAA'], `(${KEY})`, '([redacted])'],
  ['a known value at its beginning', ['sk-ant-api'], `(${KEY})`, '([redacted])'],
  ['a known value over its beginning', ['key: sk-ant-api'], `(key: ${KEY})`, '([redacted])'],
  ['a known value around it', [`key: ${KEY}!`], `(key: ${KEY}!)`, '([redacted])'],
  ['another known value over its end', ['first-value', 'value-second'], '(first-value-second)', '([redacted])'],
  ['another key beside it', ['first-value', 'second-value'], 'first-valuesecond-value', '[redacted][redacted]'],
  ['a longer one that differs', ['in-the-pot', 'in-the-pot-2', 'in-the-pot-4'], 'in-the-pot-3', '[redacted]-3'],
  ['a scheme before it', ['AAAAAAAA1'], 'Bearer BBBBAAAAAAAA1BBBBBBBB', 'Bearer [redacted]'],
])('A secret goes whole with %s', (_, values, text, clean) => {
  const secrets = createKnownSecrets();
  secrets.add(values);
  expect(secrets.text(text)).toBe(clean);
});

const MEGABYTE = 2 ** 20;
const WORDS = 'The quick brown fox sk- eyJ Bearer of secret-1 and postgres://; ';

test.each([
  ['words', WORDS],
  ['beginnings of values', 'postgres://user:xxxxxx, '],
  ['one character', '-'],
  ['values', `postgres://user:${'x'.repeat(40)}7@db.test/, `],
])('A long text costs a pass, whatever it has and however many values are known: %s', (_, piece) => {
  const values = Array.from({ length: 2_000 }, (__, at) => `postgres://user:${'x'.repeat(40)}${at}@db.test/`);
  const text = piece.repeat(MEGABYTE / piece.length);
  const look = (): void => {
    const secrets = createKnownSecrets(2_000);
    secrets.add(values);
    expect(secrets.text(text) === text.replaceAll(values[7] ?? '', '[redacted]')).toBe(true);
  };
  expect(costOf(look)).toBeLessThan(200);
});
