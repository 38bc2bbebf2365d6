import type { Incarnation } from './incarnation.ts';
import { draw } from './model.ts';
import type { World } from './world.ts';

/**
 * What may happen to a runtime: `before` and `after` are failures of a commit that did nothing, or all of it; `worker` loses
 * one at any moment, `talking` one that has said something which has not arrived.
 */
export type Fault = 'kill' | 'worker' | 'talking' | 'close' | 'before' | 'after';

/** Faults to draw from. */
export type Faults = readonly (readonly [weight: number, fault: Fault])[];

/** All of them. */
export const FAULTS: Faults = [
  [5, 'kill'],
  [2, 'worker'],
  [3, 'talking'],
  [1, 'close'],
  [1, 'before'],
  [1, 'after'],
];

/** What failures that were made here say. */
export const SIMULATED = 'simulated:';

/** Longest time a runtime is given to close, in milliseconds. */
const MOST_GRACE_MS = 5_000;

/** Does something bad to a runtime, and says what; undefined if it can't be done now. */
export function hurt({ random }: World, life: Incarnation, faults: Faults): Fault | undefined {
  const fault = draw(random, faults);
  if (fault === 'kill') life.crash();
  else if (fault === 'worker') life.workers.crashOne(random());
  else if (fault === 'talking') return life.workers.crashTalking(random()) ? fault : undefined;
  // It never rejects; whether it is over is asked elsewhere.
  else if (fault === 'close') void life.runtime.close({ graceMs: random() * MOST_GRACE_MS });
  else life.failStore(fault);
  return fault;
}
