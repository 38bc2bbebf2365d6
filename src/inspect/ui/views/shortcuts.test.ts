import { expect, test } from 'vitest';
import { act } from './shortcuts.ts';

test.each([
  ['d', true, ['theme']],
  ['?', true, ['help']],
  ['d', false, []],
  ['?', false, []],
  ['x', true, []],
])('The key %s, where keys of one character are on: %s, does %j', (key, areOn, done) => {
  const did: string[] = [];
  const doing = {
    route: { view: 'threads' } as const,
    areOn,
    help: () => did.push('help'),
    theme: () => did.push('theme'),
  };
  expect(act(key, doing)).toBe(done.length > 0);
  expect(did).toEqual(done);
});
