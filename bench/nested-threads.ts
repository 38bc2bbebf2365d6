import type { Library, RunThread } from './contenders/contender.ts';
import { checkThread, outcomeOf } from './contenders/outcome.ts';
import { measureCpu } from './phase.ts';
import { runRounds } from './rounds.ts';
import { usageOf, type Answer, type LookUpInput, type Work } from './workload.ts';

/** How many threads have ended. */
export type Count = { ended: number };

/** Threads of a library that may run others in their tool. Each is held against its work, and those that end are counted. */
export function nestedThreads(library: Library, work: Work, count: Count): RunThread {
  const runThread = library.threadsOf(work);
  const expected = outcomeOf(work);
  return async (prompt, signal) => {
    const finished = await runThread(prompt, signal);
    checkThread(finished, expected);
    count.ended++;
    return finished;
  };
}

/** A tool that runs a thread with what it is given, and answers what that has come to. */
export function toolRunning(run: RunThread): Work['callTool'] {
  return async ({ word }, signal) => ({ word, meaning: (await run(word, signal)).text });
}

/** An answer of the model in a turn, counted from 1. */
export function answerIn(turn: number, text: string, toolInputs: readonly LookUpInput[] = []): Answer {
  return { text, toolInputs, ...usageOf(turn) };
}

/** So many threads, how they are run, and how many of them are run by no other. */
export type Phase = { readonly threads: number; readonly roots: number; readonly run: () => Promise<unknown> };

/** One round of it with a library, of which nothing is left. @throws Error if a thread is missing */
export async function runNested(library: Library, count: Count, { threads, roots, run }: Phase): Promise<void> {
  count.ended = 0;
  await run();
  if (count.ended !== threads) throw new Error(`${count.ended} of ${threads} threads have ended`);
  library.forget?.(roots);
}

/** How long the warm-up takes at least, and what is measured. */
const ROUNDS = { threads: 1, enoughMs: 1_500 };

/** What a round takes. */
export type RoundCost = { readonly cpuUs: number; readonly wallMs: number };

/** Measures a round, by the same rule for Skein and for libraries. */
export async function measureRounds(run: () => Promise<void>): Promise<RoundCost> {
  await runRounds(run, ROUNDS);
  const { value: rounds, cpuUs, wallMs } = await measureCpu(() => runRounds(run, ROUNDS));
  return { cpuUs: cpuUs / rounds, wallMs: wallMs / rounds };
}
