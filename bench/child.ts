/* The process of one run: gets its job as an argument, measures, and sends what it found to its parent. */
import type { Job } from './job.ts';
import { SCENARIOS } from './scenarios/all.ts';
import { sample } from './scenarios/sample.ts';

// Written by `run-job.ts`, the only one who starts this file.
const job = JSON.parse(process.argv[2] ?? '') as Job;
const scenario = [...SCENARIOS, sample].find(({ name }) => name === job.scenario);
if (!scenario) throw new Error(`There is no scenario "${job.scenario}"`);
const measured = await scenario.measure(job);
await new Promise<void>((resolve, reject) => {
  process.send?.(measured, (error: Error | null) => (error ? reject(error) : resolve()));
});
// Whatever a contender has left open must not hold the bench up.
process.exit(0);
