import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Job, Measured, Scenario } from './job.ts';
import { setWorkersYoungGeneration } from './young-generation.ts';

/** First word of the command line of a process that runs one job, which is the second. */
export const JOB = '--job';

/** How a run's process is started. */
export type RunOptions = {
  /** The file that calls {@link answerJob}. */
  readonly entry: string;
  readonly nodeArguments: readonly string[];
  /** A run that takes longer is ended and counts as failed. */
  readonly timeoutMs: number;
};

/**
 * Runs a job in a process of its own: a fresh heap, nothing compiled, nothing cached. Rejects if it fails. What it makes is in a
 * folder of its own, which goes away with it, however it ends.
 */
export async function runJob(asked: Job, options: RunOptions): Promise<Measured> {
  mkdirSync(asked.scratch, { recursive: true });
  const scratch = mkdtempSync(join(asked.scratch, 'skein-run-'));
  try {
    return await runProcess({ ...asked, scratch }, options);
  } finally {
    remove(scratch);
  }
}

async function runProcess(job: Job, { entry, nodeArguments, timeoutMs }: RunOptions): Promise<Measured> {
  const child = spawn(process.execPath, ['--expose-gc', ...nodeArguments, entry, JOB, JSON.stringify(job)], {
    // What a run prints goes to the error stream: the output is the bench's own.
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  let measured: Measured | undefined;
  // Sent by `answerJob` alone.
  child.on('message', (message) => (measured = message as Measured));
  let isLate = false;
  const timer = setTimeout(() => (isLate = child.kill('SIGKILL')), timeoutMs);
  try {
    // One that can't be started never exits, and rejects here.
    const [code, signal] = await once(child, 'exit');
    if (measured) return measured;
    const how = isLate
      ? `took more than ${timeoutMs / 1_000} s`
      : `ended with ${signal ?? code} before it was measured`;
    throw new Error(`${job.scenario} of ${job.contender} ${how}`);
  } finally {
    clearTimeout(timer);
  }
}

/** Scenarios by their names, each loaded when it is run. */
export type LateScenarios = Readonly<Record<string, () => Promise<Scenario>>>;

/** The process of one run: measures, sends what it found to its parent, and ends. */
export async function answerJob(
  scenarios: readonly Scenario[],
  text: string,
  late: LateScenarios = {},
): Promise<never> {
  // Written by `runJob`.
  const job = JSON.parse(text) as Job;
  const scenario = scenarios.find(({ name }) => name === job.scenario) ?? (await late[job.scenario]?.());
  if (!scenario) throw new Error(`There is no scenario "${job.scenario}"`);
  // Ctrl-C is sent to it as well: it is the driver's, whose end is heard of.
  process.on('SIGINT', () => undefined);
  // Whoever wanted to know is gone: a run that went on would be in the way of what is measured next.
  process.once('disconnect', () => {
    remove(job.scratch);
    process.exit(1);
  });
  // To listen alone keeps no process: one that waits for what never comes ends, and is not waited for until its time limit.
  process.channel?.unref();
  setWorkersYoungGeneration(job.contender);
  const measured = await scenario.measure(job);
  await new Promise<void>((resolve, reject) => {
    process.send?.(measured, (error: Error | null) => (error ? reject(error) : resolve()));
  });
  // Whatever a contender has left open must not hold the bench up.
  process.exit(0);
}

/** Removes a folder in which something may be written still. */
function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
