import type { Schedule } from '../../core/batched-port.ts';

/** How {@link runInSlices} shares the event loop. */
export type SliceOptions = {
  /** Milliseconds; only differences count. */
  readonly now: () => number;
  readonly schedule: Schedule;
  /** After this many milliseconds others get a turn. */
  readonly sliceMs: number;
  /** Asked before every slice; what it throws ends the work. */
  readonly check: () => void;
};

/** Does the steps of a generator, each `yield` being a place where others may get a turn. */
export async function runInSlices<Result>(
  steps: Generator<void, Result>,
  { now, schedule, sliceMs, check }: SliceOptions,
): Promise<Result> {
  for (;;) {
    endOnThrow(steps, check);
    const began = now();
    do {
      const step = steps.next();
      if (step.done === true) return step.value;
    } while (now() - began < sliceMs);
    await new Promise<void>((resolve) => schedule(resolve));
  }
}

/** Lets the generator close what it holds. */
function endOnThrow(steps: Generator<void, unknown>, check: () => void): void {
  try {
    check();
  } catch (error) {
    steps.throw(error);
    throw error;
  }
}
