import type { LevelTotals } from './totals.ts';

/** `GET /api/project` */
export type ProjectAnswer = {
  /** Name of its folder. */
  readonly name: string;
  readonly version: string;
  /**
   * The runtime that holds the project; null: none, it can be read and nothing changed. A worker that does not answer in time is
   * not among the workers; if the runtime itself does not, what is stored says what runs and what is queued, and there are none.
   */
  readonly runtime: {
    readonly running: number;
    readonly queued: number;
    readonly workers: readonly {
      /** From 0; no two workers of a runtime ever have the same. */
      readonly number: number;
      readonly threads: number;
      /** Threads by the state of their machine, e.g. `running.calling`. */
      readonly states: Readonly<Record<string, number>>;
      readonly turns: number;
      readonly spend: number;
      readonly input_tokens?: number;
      /** Of the input, what came from the caches of providers. */
      readonly cache_read_tokens?: number;
      readonly events: number;
    }[];
  } | null;
  /** All threads that are not archived. */
  readonly totals: LevelTotals;
  readonly pending_approvals: number;
};

/** `GET /api/machines`: the charts, as XState takes them. */
export type MachinesAnswer = {
  readonly thread: Readonly<Record<string, unknown>>;
  readonly supervisor: Readonly<Record<string, unknown>>;
};
