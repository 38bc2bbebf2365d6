import type { Params } from '../job.ts';
import type { ThreadSample } from '../thread-sample.ts';

/** Somebody who does the workload of `workload.ts`. */
export interface Contender extends AsyncDisposable {
  /** Runs so many threads to their end, all at once. Throws unless every one completed with all its turns. */
  run(threads: number): Promise<void>;
  /** What its runs left behind: numbers by metric, and what is wrong with any of them. Called once, after everything. */
  inspect(): Promise<{ readonly metrics: Readonly<Record<string, number>>; readonly problems: readonly string[] }>;
}

/** What a contender is made with. */
export type ContenderSetup = {
  readonly params: Params;
  readonly sample: ThreadSample | undefined;
  readonly scratch: string;
};

/** Contenders by their names. */
export type ContenderSource = {
  readonly names: readonly string[];
  create(name: string, setup: ContenderSetup): Promise<Contender>;
};
