import { expect, test } from 'vitest';
import { costOf } from '../../../test/fixtures/cost-of.ts';
import { createRecentSecrets } from './recent-secrets.ts';

test('The last secrets are taken out of texts, the oldest are forgotten, and one that is told again is new', () => {
  const secrets = createRecentSecrets(2);
  secrets.add(['first-secret', 'second-secret', 'short']);
  expect(secrets.text('first-secret second-secret short')).toBe('[redacted] [redacted] short');
  secrets.add(['first-secret']);
  secrets.add(['third-secret']);
  expect(secrets.text('first-secret second-secret third-secret')).toBe('[redacted] second-secret [redacted]');
});

test('A value costs nothing but its place while nobody asks', () => {
  const secrets = createRecentSecrets(1_000);
  const add = (): void => {
    for (let at = 0; at < 20_000; at++) secrets.add([`secret-number-${at}`]);
  };
  expect(costOf(add)).toBeLessThan(200);
  expect(secrets.text('secret-number-18999 secret-number-19000')).toBe('secret-number-18999 [redacted]');
});

test('Values may be as long as a certificate or a file, as many as are kept, and begin with one another', () => {
  const values = Array.from({ length: 2_000 }, (_, at) => `${at}-`.padEnd(10_000, 'aB3-'));
  const [first = '', second = ''] = values;
  const secrets = createRecentSecrets(2_001);
  secrets.add([first.slice(0, 9_000), ...values]);
  const look = (): void => {
    const text = secrets.text(JSON.stringify({ a: first, b: `x${second}"`, c: first.slice(0, 9_001) }));
    expect(JSON.parse(text)).toEqual({ a: '[redacted]', b: 'x[redacted]"', c: `[redacted]${first.at(9_000)}` });
  };
  expect(costOf(look)).toBeLessThan(200);
});
