import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Job } from './job.ts';
import { JOB } from './run-job.ts';

/** A process that does a part of a run which must not be in this one. */
export type OtherHalf = {
  readonly child: ChildProcess;
  /** The first thing it says. */
  readonly said: unknown;
  /** Settles when it has ended, to its exit code or the signal that ended it. */
  readonly gone: Promise<number | NodeJS.Signals>;
};

/** Starts it as this process was started, with a job of its own, and waits for what it says. @throws Error if it ends before that */
export async function startOtherHalf(job: Job): Promise<OtherHalf> {
  // A profile is of one process.
  const execArgv = process.execArgv.filter((word) => !word.startsWith('--cpu-prof'));
  const child = fork(process.argv[1] ?? '', [JOB, JSON.stringify(job)], { execArgv });
  const gone: OtherHalf['gone'] = once(child, 'exit').then(([code, signal]) => signal ?? code);
  const message = once(child, 'message').then(([said]) => ({ said }));
  const first = await Promise.race([message, gone.then((how) => ({ how }))]);
  if ('said' in first) return { child, said: first.said, gone };
  throw new Error(`The other half of ${job.scenario} ended with ${first.how} before it was ready`);
}
