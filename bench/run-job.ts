import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Job, Measured } from './job.ts';

/** How a run's process is started. */
export type RunOptions = {
  readonly nodeArguments: readonly string[];
  /** A run that takes longer is ended and counts as failed. */
  readonly timeoutMs: number;
};

/** Runs a job in a process of its own: a fresh heap, nothing compiled, nothing cached. Rejects if it fails. */
export function runJob(job: Job, { nodeArguments, timeoutMs }: RunOptions): Promise<Measured> {
  const file = fileURLToPath(new URL('./child.ts', import.meta.url));
  const child = spawn(process.execPath, ['--expose-gc', ...nodeArguments, file, JSON.stringify(job)], {
    // What a run prints goes to the error stream: the output is the bench's own.
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  return new Promise((resolve, reject) => {
    let measured: Measured | undefined;
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    // Sent by `child.ts` alone.
    child.on('message', (message) => (measured = message as Measured));
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      if (measured) resolve(measured);
      else reject(new Error(`${job.scenario} of ${job.contender} ended with ${signal ?? code} before it was measured`));
    });
  });
}
