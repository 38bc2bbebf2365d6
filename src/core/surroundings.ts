import { randomBytes } from 'node:crypto';
import type { Schedule } from './batched-port.ts';
import { systemClock, type Clock } from './clock.ts';
import type { RandomBytes } from './ids.ts';

/** What a runtime and its workers take from the machine they run on; a simulation brings its own (ADR 44). */
export type Surroundings = {
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly randomBytes: RandomBytes;
  readonly schedule: Schedule;
};

/** The machine's own. */
export const systemSurroundings: Surroundings = {
  clock: systemClock,
  random: Math.random,
  randomBytes,
  schedule: setImmediate,
};
