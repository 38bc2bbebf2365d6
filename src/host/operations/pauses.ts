import { setImmediate } from 'node:timers/promises';

/** Longest stretch of reading in one go: the host must answer others within 20 ms (architecture). */
const SLICE_MS = 5;

/** A function to be awaited between pieces of work: it lets others have their turn when the work has taken a while. */
export function createPauses(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    await setImmediate();
    since = performance.now();
  };
}
