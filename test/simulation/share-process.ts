import { createDisk } from './disk.ts';
import { simulate } from './simulate.ts';
import { createWorkloads } from './workload.ts';

/*
 * One of the processes that share the seeds of a simulation: `node share-process.ts FIRST END STEP` runs each STEP-th seed from
 * FIRST up to END, says what breaks a promise, and exits with 1 if anything does. `TRACE=1` says all that happens.
 */
const [first = 0, end = 0, step = 1] = process.argv.slice(2).map(Number);
const trace = process.env['TRACE'] === undefined ? undefined : (line: string): void => console.log(line);
using workloads = createWorkloads();
for (let seed = first; seed < end; seed += step) {
  using disk = createDisk();
  const { findings, ...facts } = await simulate({ seed, workloads, path: disk.database(), trace });
  if (findings.length === 0) continue;
  process.exitCode = 1;
  console.log(`seed ${seed}: ${JSON.stringify({ ...facts, findings }, undefined, 2)}`);
}
