import type { AskedSizes, Params } from '../job.ts';
import type { ThreadSample } from '../thread-sample.ts';
import type { Work } from '../workload.ts';

/** Somebody who does the workload of `workload.ts`. */
export interface Contender extends AsyncDisposable {
  /** Runs so many threads to their end, all at once or as fast as they can be asked for. Throws unless every one completed with all its turns. */
  run(threads: number): Promise<void>;
  /** What its runs left behind: numbers by metric, and what is wrong with any of them. Called once, after everything. */
  inspect(): Promise<{ readonly metrics: Readonly<Record<string, number>>; readonly problems: readonly string[] }>;
}

/** Most threads that anybody but Skein is meant to run. */
const MOST_THREADS = 10_000;
/** It lets only some of its threads be live. */
export const LIMITED = 'p-limit';
/** Whose 10,000 threads take minutes, and most that they run where no number is asked for. */
const SLOWEST: ReadonlySet<string> = new Set(['langgraph-bare', 'mastra']);
const MOST_OF_SLOWEST = 2_000;

/** Whether a contender runs so many threads where nobody is asked for by name. */
export function takesSize(contender: string, threads: number, asked: AskedSizes): boolean {
  if (contender === 'skein') return true;
  return threads <= (SLOWEST.has(contender) && asked.threads.length === 0 ? MOST_OF_SLOWEST : MOST_THREADS);
}

/** Skein, and the lower bound: who cancels, and runs threads in threads, where it is not to take long. */
export const BRIEF: ReadonlySet<string> = new Set(['skein', 'plain']);

/** What a contender is made with. */
export type ContenderSetup = {
  readonly params: Params;
  readonly sample: ThreadSample | undefined;
  readonly scratch: string;
};

/** A library that runs threads of any kind in memory, in its idiomatic form; also none, with promises alone. */
export type Library = {
  /** Makes what threads of one kind share (an agent, a graph, a runner). */
  threadsOf(work: Work): RunThread;
  /**
   * Drops what it has kept of so many runs (those in a tool are part of the run that called it), or of all; called when none is under
   * way. @throws Error if it has kept of more or fewer
   */
  forget?(runs: number | 'all'): void;
};

/** Runs one thread to its end. Rejects if it can't get there, and when `signal` is aborted. */
export type RunThread = (prompt: string, signal?: AbortSignal) => Promise<Finished>;

/** What a thread has come to. */
export type Finished = { readonly answers: number; readonly toolResults: number; readonly text: string };

/** Contenders by their names. */
export type ContenderSource = {
  readonly names: readonly string[];
  create(name: string, setup: ContenderSetup): Promise<Contender>;
};

/** Those of them that run threads of any kind. */
export type LibrarySource = {
  readonly names: readonly string[];
  load(name: string): Promise<Library>;
};
