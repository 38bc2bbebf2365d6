import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ENTRY = join(import.meta.dirname, '../test/fixtures/bench-process.ts');

/** Runs the bench of the fixture, and reads what it prints; `loads`: who has loaded the scenario that is loaded late. */
function runBench(...words: string[]): { readonly problems: unknown; readonly loads: readonly string[] } {
  const { stdout, stderr } = spawnSync(process.execPath, [ENTRY, ...words, '--json'], { encoding: 'utf8' });
  const { problems } = JSON.parse(stdout) as { problems: unknown };
  return { problems, loads: [...stderr.matchAll(/late is loaded by (.*)/g)].map(([, who = '']) => who) };
}

test('a case is given what Skein stores for a thread of as many turns as it has', () => {
  expect(runBench('sampled', '--runs', '1', '--turns', '3').problems).toEqual([]);
  // Six processes, one after the other.
}, 120_000);

test.each([
  ['nobody', [], ['first, 1 threads, skein', 'second, 1 threads, skein']],
  ['everybody', ['skein', 'other'], ['first, 1 threads, skein', 'first, 1 threads, other', 'second, 1 threads, skein']],
  ['one who lacks a form', ['other'], ['first, 1 threads, other']],
])(
  'where %s is asked for by name, all run who have that form',
  (_who, names, ran) => {
    const words = names.flatMap((name) => ['--contender', name]);
    const problems = ran.map((one) => `partial ${one}, run 1: it ran`);
    expect(runBench('partial', '--runs', '1', ...words).problems).toEqual(problems);
  },
  120_000,
);

test('a scenario of the source is loaded by the driver and by its own runs alone', () => {
  expect(runBench('late', '--runs', '2')).toEqual({
    problems: ['late 1 threads × 3 turns, 0 ms model, skein, run 1: it ran', expect.stringMatching(/run 2: it ran$/)],
    loads: ['the driver', 'a run', 'a run'],
  });
  expect(runBench('sampled', '--runs', '1').loads).toEqual(['the driver']);
}, 120_000);
