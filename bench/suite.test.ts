import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ENTRY = join(import.meta.dirname, '../test/fixtures/bench-process.ts');

/** Runs the bench of the fixture, and reads what it prints. */
function runBench(...words: string[]): { readonly problems: unknown } {
  const { stdout } = spawnSync(process.execPath, [ENTRY, ...words, '--json'], { encoding: 'utf8' });
  return JSON.parse(stdout) as { problems: unknown };
}

test('a case is given what Skein stores for a thread of as many turns as it has', () => {
  expect(runBench('sampled', '--runs', '1', '--turns', '3').problems).toEqual([]);
  // Six processes, one after the other.
}, 120_000);
