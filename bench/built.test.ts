import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeBuild } from './built.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'skein-built-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A file that was last changed at a time in seconds. */
function write(path: string, seconds: number): void {
  const whole = join(folder, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, '');
  utimesSync(whole, seconds, seconds);
}

test.each([
  { what: 'is newer than all sources', source: 'src/host/pool.ts', at: 9, told: '' },
  { what: 'is older than a source', source: 'src/host/pool.ts', at: 11, told: ', dist older than src/host/pool.ts' },
  {
    what: 'is older than a chart',
    source: 'machines/a.machine.ts',
    at: 11,
    told: ', dist older than machines/a.machine.ts',
  },
  { what: 'is older than a test', source: 'src/host/pool.test.ts', at: 11, told: '' },
  { what: 'is older than a fixture', source: 'src/host/fixtures/pool.ts', at: 11, told: '' },
])('of a build that $what it is said: "$told"', ({ source, at, told }) => {
  write('dist/src/index.js', 10);
  write('src/index.ts', 8);
  write(source, at);
  expect(describeBuild(folder)).toBe(told);
});

test('of sources that were never built it is said that there is no build', () => {
  write('src/index.ts', 8);
  expect(describeBuild(folder)).toBe(', not built');
});
