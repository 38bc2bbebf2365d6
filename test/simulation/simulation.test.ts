import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDisk, type Disk } from './disk.ts';
import type { Faults } from './faults.ts';
import { PLANTS } from './planted.ts';
import { simulate, type Outcome, type Simulation } from './simulate.ts';
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

const LOSSES: Faults = [[1, 'talking']];

describe('A simulation', () => {
  test('of a seed does the same every time, to the last message', async () => {
    const first = await traced(6);
    expect(first.length).toBeGreaterThan(100);
    expect(await traced(6)).toEqual(first);
  });

  test.each([
    ['an acknowledgement before the commit', PLANTS.ackBeforeCommit, /E1/],
    ['a lost wake-up of a waiter', PLANTS.lostWakeUp, /M2/],
    ['a settlement that counts twice', PLANTS.doubleSettle, /B/],
    ['a message that is taken from a worker after its end', PLANTS.lateWorkers, /problem|M1|E5/, LOSSES],
  ])('finds %s', { timeout: 120_000 }, async (_name, plant, invariant, faults?: Faults) => {
    const found = await firstFinding({ plant, faults });
    expect(found.findings.map((one) => one.invariant)).toContainEqual(expect.stringMatching(invariant));
    // What was planted is what was found.
    expect((await run({ seed: found.seed, faults })).findings).toEqual([]);
  });
});

/** Runs after which a planted bug must have been found. */
const MOST_SEEDS = 100;

async function firstFinding(how: Pick<Simulation, 'plant' | 'faults'>): Promise<Outcome> {
  for (let seed = 1; seed <= MOST_SEEDS; seed++) {
    const outcome = await run({ ...how, seed });
    if (outcome.findings.length > 0) return outcome;
  }
  throw new Error(`It is not found in ${MOST_SEEDS} runs`);
}

async function traced(seed: number): Promise<string[]> {
  const lines: string[] = [];
  await simulate({ seed, workloads, path: disk.database(), trace: (line) => lines.push(line) });
  return lines;
}

function run(how: Pick<Simulation, 'seed' | 'plant' | 'faults'>): Promise<Outcome> {
  return simulate({ ...how, workloads, path: disk.database() });
}
