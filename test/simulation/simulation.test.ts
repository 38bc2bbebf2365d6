import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDisk, type Disk } from './disk.ts';
import { PLANTS, type Plant } from './planted.ts';
import { simulate, type Outcome } from './simulate.ts';
import { createWorkloads, type Workloads } from './workload.ts';

let disk: Disk;
let workloads: Workloads;
beforeAll(() => {
  disk = createDisk();
  workloads = createWorkloads();
});
afterAll(() => {
  disk[Symbol.dispose]();
  workloads[Symbol.dispose]();
});

describe('A simulation', () => {
  test.each([6, 28, 152])('of seed %i does the same every time, to the last message', async (seed) => {
    const first = await traced(seed);
    const second = await traced(seed);
    expect(first.length).toBeGreaterThan(100);
    expect(second).toEqual(first);
  });

  test.each(Object.entries(PLANTS))('finds %s', async (_name, plant) => {
    const seed = await firstFailing(plant);
    expect(seed).toBeDefined();
    // What was planted is what was found.
    expect((await run(seed ?? 0)).findings).toEqual([]);
  }, 60_000);
});

/** Runs after which a planted bug must have been found. */
const MOST_SEEDS = 100;

async function firstFailing(plant: Plant): Promise<number | undefined> {
  for (let seed = 1; seed <= MOST_SEEDS; seed++) if ((await run(seed, plant)).findings.length > 0) return seed;
  return undefined;
}

async function traced(seed: number): Promise<string[]> {
  const lines: string[] = [];
  await simulate({ seed, workloads, path: disk.database(), trace: (line) => lines.push(line) });
  return lines;
}

function run(seed: number, plant?: Plant): Promise<Outcome> {
  return simulate({ seed, workloads, path: disk.database(), plant });
}
