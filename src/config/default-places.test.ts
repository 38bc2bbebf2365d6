import { expect, test } from 'vitest';
import { defaultUserSpace } from './default-places.ts';

test.each<[Readonly<Record<string, string>>, string | undefined]>([
  [{ SKEIN_USER_SPACE: '/space', HOME: '/home/ann' }, '/space'],
  [{ HOME: '/home/ann', USERPROFILE: '/users/ann' }, '/home/ann/.ai'],
  [{ USERPROFILE: '/users/ann' }, '/users/ann/.ai'],
  [{ SKEIN_USER_SPACE: '', HOME: '/home/ann' }, '/home/ann/.ai'],
  [{ HOME: '', USERPROFILE: '/users/ann' }, '/users/ann/.ai'],
  [{ SKEIN_USER_SPACE: '', HOME: '' }, undefined],
  [{}, undefined],
])('With %j the user space is %j', (env, space) => {
  expect(defaultUserSpace(env)).toBe(space);
});
