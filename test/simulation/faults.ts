import type { Incarnation } from './incarnation.ts';
import { draw } from './model.ts';
import type { World } from './world.ts';

/** What may happen to a runtime: `before` and `after` are failures of a commit that did nothing, or all of it. */
type Fault = 'kill' | 'worker' | 'close' | 'before' | 'after';

const FAULTS: readonly (readonly [weight: number, fault: Fault])[] = [
  [5, 'kill'],
  [2, 'worker'],
  [1, 'close'],
  [1, 'before'],
  [1, 'after'],
];

/** Longest time a runtime is given to close, in milliseconds. */
const MOST_GRACE_MS = 5_000;

/** Does something bad to a runtime, and says what. */
export function hurt({ random }: World, life: Incarnation): Fault {
  const fault = draw(random, FAULTS);
  if (fault === 'kill') life.crash();
  else if (fault === 'worker') life.crashWorker(random());
  // It never rejects; whether it is over is asked elsewhere.
  else if (fault === 'close') void life.runtime.close({ graceMs: random() * MOST_GRACE_MS });
  else life.failStore(fault);
  return fault;
}
