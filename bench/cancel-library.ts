/*
 * Cancel of what a library runs, by the signals that it takes: `tree` is one signal that all runs share, `roots` one for each. Its
 * model listens to the signal as well. There is no ending to acknowledge: a run has ended when its promise is rejected.
 */
import { setMaxListeners } from 'node:events';
import type { Library, RunThread } from './contenders/contender.ts';
import { collectGarbage, sleep } from './garbage.ts';
import type { Measured, Params } from './job.ts';
import { NOTHING_STORED, answerIn } from './nested-threads.ts';
import { measureCpu } from './phase.ts';
import { quiet } from './quiet.ts';
import { lookUp } from './workload.ts';

/** As Skein is warmed up: rounds of so many, and then as many as are measured. */
const ROUNDS = 3;
const ROUND = 2_000;
/** What a thread answers that is not cancelled. */
const DONE = 'Done.';
const WAITING = { turns: 1, answerOf: (turn: number) => answerIn(turn, DONE), callTool: lookUp };

/** Measures it. */
export async function cancelOfLibrary(library: Library, { threads, llmMs, variant }: Params): Promise<Measured> {
  const run = library.threadsOf({ ...WAITING, llmMs });
  const pass = (size: number): Promise<Cancelled> => cancelLive(run, size, variant === 'tree');
  for (let round = 0; round < ROUNDS; round++) await pass(ROUND);
  await pass(threads);
  const { cpuUs, wallMs, callMs, missed } = await pass(threads);
  return {
    metrics: { cancel_latency: wallMs, cancel_call: callMs, cancel_cpu: cpuUs / 1_000, ...NOTHING_STORED },
    problems: missed > 0 ? [`${missed} of ${threads} threads were not cancelled`] : [],
  };
}

/** What a cancellation took. */
export type Cancelled = {
  readonly cpuUs: number;
  readonly wallMs: number;
  readonly callMs: number;
  /** Threads that ended otherwise: they completed, or failed before they were cancelled. */
  readonly missed: number;
};

/** Starts threads, waits until all are in their calls, and aborts them. */
export async function cancelLive(run: RunThread, threads: number, isShared: boolean): Promise<Cancelled> {
  const controllers = Array.from({ length: isShared ? 1 : threads }, () => new AbortController());
  for (const { signal } of controllers) setMaxListeners(0, signal);
  let isCancelled = false;
  const wasCancelled = Array.from({ length: threads }, (_, index) => {
    const { signal } = controllers[isShared ? 0 : index] ?? {};
    return run(`Wait: ${index}`, signal).then(
      // One library's runs resolve when they are aborted, without an answer.
      ({ text }) => isCancelled && text !== DONE,
      () => isCancelled,
    );
  });
  const ended = Promise.all(wasCancelled);
  await quiet();
  await collectGarbage();
  await sleep(100);
  isCancelled = true;
  let callMs = 0;
  const { value, cpuUs, wallMs } = await measureCpu(() => {
    const from = performance.now();
    for (const controller of controllers) controller.abort();
    callMs = performance.now() - from;
    return ended;
  });
  return { cpuUs, wallMs, callMs, missed: value.filter((one) => !one).length };
}
