import type { Clock } from './clock.ts';

/** Whether work is done in time; it goes on if it is not. Rejects as the work does. */
export async function doneWithin(delayMs: number, work: Promise<unknown>, clock: Clock): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = clock.setTimer(delayMs, () => late.resolve(false));
  try {
    return await Promise.race([work.then(() => true), late.promise]);
  } finally {
    clock.clearTimer(timer);
  }
}
