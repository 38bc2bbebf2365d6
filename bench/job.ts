import type { ThreadSample } from './thread-sample.ts';

/** What is measured at which size. */
export type Params = {
  readonly threads: number;
  readonly turns: number;
  /** How long a simulated model call takes. */
  readonly llmMs: number;
  /** How many items, where it is about them and not about threads. */
  readonly items?: number;
  /** Which form of the scenario, where it has several. */
  readonly variant?: string;
};

/** One run of one contender; it gets a process of its own. */
export type Job = {
  readonly scenario: string;
  readonly contender: string;
  readonly params: Params;
  /** What Skein stores for one thread, for the contender that encodes the same. */
  readonly sample?: ThreadSample;
  /** Where projects are made: a folder of the run's own. It should be on a real disk. */
  readonly scratch: string;
};

/** What a run found: numbers by metric (see `metrics.ts`), and what was wrong with the work itself. */
export type Measured = {
  readonly metrics: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
  /** Present in the result of the scenario `sample` alone. */
  readonly sample?: ThreadSample;
};

/** A scenario: its sizes, who takes part, and how one run goes. */
export type Scenario = {
  readonly name: string;
  readonly contenders: readonly string[];
  /** Arguments of Node for its processes. */
  readonly nodeArguments?: readonly string[];
  /** What is measured runs in a worker otherwise: its own thread stands for one. */
  readonly isWorker?: boolean;
  /** Its contenders need to know what Skein stores for a thread. */
  readonly needsSample?: boolean;
  /** Which numbers of the command line are for it; default: threads. */
  readonly takes?: readonly SizeOption[];
  /** Its cases; numbers that the command line gives replace the defaults. */
  cases(asked: AskedSizes): readonly Params[];
  /** Whether a contender has no form of a case, so that it can't run it even where it is asked for by name. */
  lacks?(contender: string, params: Params): boolean;
  /** Whether a contender takes part in a case when nobody is asked for by name; by default it does. */
  takesPart?(contender: string, params: Params, asked: AskedSizes): boolean;
  /** Runs one job inside its process. */
  measure(job: Job): Promise<Measured>;
};

/** Options of the command line that are sizes. */
export const SIZE_OPTIONS = ['threads', 'turns', 'llm'] as const;
export type SizeOption = (typeof SIZE_OPTIONS)[number];

/** Sizes given on the command line; empty = the scenario's own. */
export type AskedSizes = {
  readonly threads: readonly number[];
  readonly turns: number;
  readonly llmMs: readonly number[];
  /** Sizes, forms and contenders that take long are wanted, too. */
  readonly isLong: boolean;
};

/** The sizes that were asked for, or else the scenario's own. */
export function sizesOr(asked: readonly number[], own: readonly number[]): readonly number[] {
  return asked.length > 0 ? asked : own;
}

/** Whether all forms and contenders are wanted, and not only what is quick. */
export function wantsAll({ threads, isLong }: Pick<AskedSizes, 'threads' | 'isLong'>): boolean {
  return isLong || threads.length > 0;
}
