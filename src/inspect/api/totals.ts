/** How a thread stands. */
export type ApiStatus = 'created' | 'running' | 'suspended' | 'completed' | 'error' | 'cancelled' | 'continued';

/** Threads by how they stand; absent = none. */
export type ApiCounts = Readonly<Partial<Record<ApiStatus, number>>>;

/** What threads come to, as counted at `as_of_ms`: counted again when something has changed, not for every request. */
export type LevelTotals = {
  readonly counts: ApiCounts;
  readonly threads: number;
  readonly turns: number;
  /** Of a level with all that is below its threads, as their `tree_spend` has it. */
  readonly spend: number;
  readonly as_of_ms: number;
};
