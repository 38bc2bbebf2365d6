import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runJob } from '../../bench/run-job.ts';
import { viewer } from '../../bench/scenarios/viewer.ts';
import type { Measured } from '../../bench/job.ts';

const THREADS = 500;

/** As `bench/viewer.bench.ts` does it, with fewer threads. */
function measure(contender: string): Promise<Measured> {
  const params = { threads: THREADS, turns: 3, llmMs: 0 };
  const job = { scenario: viewer.name, contender, params, scratch: tmpdir() };
  const entry = fileURLToPath(new URL('../../bench/viewer.bench.ts', import.meta.url));
  return runJob(job, { entry, nodeArguments: viewer.nodeArguments ?? [], timeoutMs: 120_000 });
}

test('workers post as much for a viewer of the dashboard that never reads as for none', async () => {
  const alone = await measure('alone');
  const watching = await measure('watching');
  const full = await measure('full');
  expect([...alone.problems, ...watching.problems, ...full.problems]).toEqual([]);
  // While it stalls nobody looks how many there were.
  expect(full.metrics['viewer_dropped']).toBeGreaterThan(0);
  const perThread = (one: Measured): number => one.metrics['messages_per_thread'] ?? Number.NaN;
  // The thread that runs beside them takes some turns more or less.
  expect([alone, full].map((one) => Math.round(perThread(one)))).toEqual([6, 6]);
  // It sends its words to whoever watches it: less than one message more for each of the others.
  expect(Math.floor(perThread(watching))).toBe(6);
});
