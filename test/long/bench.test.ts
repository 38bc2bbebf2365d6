import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { METRICS } from '../../bench/metrics.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-bench-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Printed = {
  readonly results: readonly { readonly contender: string; readonly metric: string; readonly value: unknown }[];
  readonly problems: readonly string[];
};

// Few threads, so nothing is said about what they cost: that the scenario does its work, and that each figure is one.
test.each([
  ['scale', '20'],
  ['spawn', '20'],
  ['parked', '1'],
  ['tree'],
  ['pipeline', '20'],
  ['tools', '2'],
  ['cancel', '100'],
  ['resume', '20'],
  ['recover', '20'],
  ['idle', '50'],
  ['mixed', '1'],
  ['stream', '20'],
  ['store', '20'],
])('the scenario %s does its work, of %s threads if it has no number of its own', (scenario, threads = '') => {
  const who = ['--contender', 'skein', '--contender', 'plain'];
  const size = threads === '' ? [] : ['--threads', threads];
  const words = [scenario, ...size, ...who, '--runs', '1', '--out', folder, '--json'];
  const run = spawnSync('node', ['bench/run.ts', ...words], { encoding: 'utf8' });
  const { results, problems } = JSON.parse(run.stdout) as Printed;
  expect(problems).toEqual([]);
  expect(results.length).toBeGreaterThan(0);
  for (const { metric, value } of results) {
    expect([metric, value]).toEqual([metric, expect.any(Number)]);
    expect(METRICS).toHaveProperty(metric);
  }
});
