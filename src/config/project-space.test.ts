import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { projectSpaceOf } from './project-space.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'skein-space-')));
afterAll(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, 'var/home/ann'), { recursive: true });
mkdirSync(join(folder, 'var/home/bob/.ai'), { recursive: true });
symlinkSync('var/home', join(folder, 'home'));

const at = (...names: readonly string[]): string => join(folder, ...names);

test.each(['ann', 'bob'])('The space of %s is one, by whichever way, there or not', (name) => {
  expect(projectSpaceOf(at('var/home', name), at('home', name, '.ai'))).toBeUndefined();
  expect(projectSpaceOf(at('home', name), at('var/home', name, '.ai'))).toBeUndefined();
});

test('A project in a home has a space of its own', () => {
  expect(projectSpaceOf(at('var/home/ann/work'), at('home/ann/.ai'))).toBe(at('var/home/ann/work/.ai'));
  expect(projectSpaceOf(at('var/home/ann'), undefined)).toBe(at('var/home/ann/.ai'));
});
