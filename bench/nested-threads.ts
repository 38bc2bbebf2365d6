import type { Finished, Library } from './contenders/contender.ts';
import { checkThread, outcomeOf } from './contenders/outcome.ts';
import { collectGarbage } from './garbage.ts';
import { measurePhase, type Taken } from './phase.ts';
import { usageOf, type Answer, type LookUpInput, type Work } from './workload.ts';

/** How many threads have ended. */
export type Count = { ended: number };

/** So many threads, how they are run, and how many of them are run by no other. */
export type Phase = { readonly threads: number; readonly roots: number; readonly run: () => Promise<unknown> };

/** Runs a thread to its end, and holds it against its work. */
export type RunNested = (prompt: string) => Promise<Finished>;

/** Threads of a library that may run others in their tool; those that end are counted. */
export function nestedThreads(library: Library, work: Work, count: Count): RunNested {
  const runThread = library.threadsOf(work);
  const expected = outcomeOf(work);
  return async (prompt) => {
    const finished = await runThread(prompt);
    checkThread(finished, expected);
    count.ended++;
    return finished;
  };
}

/** A tool that runs a thread with what it is given, and answers what that has come to. */
export function toolRunning(run: RunNested): Work['callTool'] {
  return async ({ word }) => ({ word, meaning: (await run(word)).text });
}

/** An answer of the model in a turn, counted from 1. */
export function answerIn(turn: number, text: string, toolInputs: readonly LookUpInput[] = []): Answer {
  return { text, toolInputs, ...usageOf(turn) };
}

/** What is run before, and what is measured. */
type Phases = { readonly count: Count; readonly warmUp: Phase; readonly measured: Phase };

/** Measures a library as Skein is measured in the same scenario. It stores nothing. @throws Error if a thread is missing */
export async function measureNested(library: Library, { count, warmUp, measured }: Phases): Promise<Taken<unknown>> {
  const runPhase = async ({ threads, run }: Phase): Promise<void> => {
    count.ended = 0;
    await run();
    if (count.ended !== threads) throw new Error(`${count.ended} of ${threads} threads have ended`);
  };
  await runPhase(warmUp);
  library.forget?.(warmUp.roots);
  await collectGarbage();
  const taken = await measurePhase(() => runPhase(measured));
  library.forget?.(measured.roots);
  return taken;
}

/** What is read back of a library: it has stored nothing. */
export const NOTHING_STORED = { events_per_thread: 0, ledger_rows_per_thread: 0 };
