import { expect, test } from 'vitest';
import { createDisk } from '../simulation/disk.ts';
import { simulate } from '../simulation/simulate.ts';
import { createWorkloads } from '../simulation/workload.ts';

/** Runs, `SEEDS=100000` by hand. */
const SEEDS = Number(process.env['SEEDS'] ?? 1_000);
/** Others every day; `SEED=… SEEDS=1` repeats one exactly, and `TRACE=1` says all that happens in it. */
const SEED = Number(process.env['SEED'] ?? Math.floor(Date.now() / 86_400_000) * 1_000);
const TRACE = process.env['TRACE'] === undefined ? undefined : (line: string): void => console.log(line);
/** A run takes about a tenth of a second; a machine may be busy. */
const MS_PER_SEED = 900;

test(
  `every promise is kept in ${SEEDS} simulated runs, whatever fails and when`,
  { timeout: SEEDS * MS_PER_SEED + 60_000 },
  async () => {
    using workloads = createWorkloads();
    const failed: number[] = [];
    for (let seed = SEED; seed < SEED + SEEDS; seed++) {
      using disk = createDisk();
      const { findings, ...facts } = await simulate({ seed, workloads, path: disk.database(), trace: TRACE });
      if (findings.length === 0) continue;
      failed.push(seed);
      console.log(`seed ${seed}: ${JSON.stringify({ ...facts, findings }, undefined, 2)}`);
    }
    expect(failed).toEqual([]);
  },
);
