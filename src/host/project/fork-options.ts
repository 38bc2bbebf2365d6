import type { LimitOverrides } from '../../core/limits.ts';

/** Settings of `runtime.fork`. */
export type ForkOptions = {
  /** The last event of the thread that counts; 0 = before the first one. */
  readonly at: number;
  /** Inputs that are others than those of the thread: its prompt is made anew. */
  readonly inputs?: Readonly<Record<string, unknown>> | undefined;
  /** Limits over those that the thread was started with; `spend` in USD. */
  readonly limits?: LimitOverrides | undefined;
};
