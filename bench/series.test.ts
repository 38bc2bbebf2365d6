import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Stored } from './stored.ts';

const SERIES = join(import.meta.dirname, '../test/fixtures/bench-series.ts');

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'skein-series-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the series of the fixture; its exit code. */
function run(...words: string[]): number | null {
  return spawnSync(process.execPath, [SERIES, folder, ...words], { encoding: 'utf8' }).status;
}

test('a series in which something is wrong leaves what is stored, which has day, commit and machine', () => {
  expect([run('5'), run('6', 'a thread is missing')]).toEqual([0, 1]);
  const { reports, leftOut } = JSON.parse(readFileSync(join(folder, 'planted.json'), 'utf8')) as Stored;
  expect(reports).toEqual([
    {
      date: expect.stringMatching(/^\d{4}-/),
      commit: expect.any(String),
      machine: expect.objectContaining({ node: process.version }),
      results: [expect.objectContaining({ metric: 'wall', value: 5, runs: 2 })],
    },
  ]);
  expect(leftOut).toEqual([expect.objectContaining({ case: '1 items', why: 'something was wrong with it' })]);
});
