import { describe, expect, test } from 'vitest';
import { takeToken, watchToken } from './session-token.ts';

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

test.each([
  ['#token=new&/thread/x/budget', { kept: 'new', hash: '#/thread/x/budget', loads: 1 }],
  ['#/thread/x/budget', { kept: 'old', hash: '#/thread/x/budget', loads: 0 }],
])('A page that is there already is loaded again with the token that its address gets: %j', (address, expected) => {
  const page = new EventTarget();
  const now = { kept: 'old', hash: '#/', loads: 0 };
  const kept = { getItem: () => now.kept, setItem: (_: string, token: string) => void (now.kept = token) };
  const place = () => ({ hash: now.hash, kept, replaceHash: (hash: string) => void (now.hash = hash) });
  watchToken(page, place, () => now.loads++);
  now.hash = address;
  page.dispatchEvent(new Event('hashchange'));
  expect(now).toEqual(expected);
});
