import { describe, expect, test } from 'vitest';
import { takeToken } from './session-token.ts';

function take(hash: string, before?: string) {
  const kept = new Map(before === undefined ? [] : [['skein-token', before]]);
  const replaced: string[] = [];
  const token = takeToken({
    hash,
    kept: { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value) },
    replaceHash: (next) => replaced.push(next),
  });
  return { token, kept: kept.get('skein-token'), replaced };
}

describe('The token', () => {
  test.each([
    ['#token=abc', undefined, { token: 'abc', kept: 'abc', replaced: ['#/'] }],
    ['#token=abc&/thread/x/budget', 'old', { token: 'abc', kept: 'abc', replaced: ['#/thread/x/budget'] }],
    ['#/approvals', 'old', { token: 'old', kept: 'old', replaced: [] }],
    ['', undefined, { token: undefined, kept: undefined, replaced: [] }],
  ])('is taken from %j', (hash, before, expected) => {
    expect(take(hash, before)).toEqual(expected);
  });
});
