import type { SupervisorEvent } from '../../../machines/supervisor.machine.ts';
import type { SpawnOrder } from '../host-context.ts';
import { createFifo } from '../../core/fifo.ts';

/** Where root threads wait before anything is made of them. */
export interface SpawnLine {
  /**
   * The order to carry out now, which leaves the line when it is answered; undefined if it has to wait: then it is sent to
   * the supervisor again when it may go on.
   */
  enter(order: SpawnOrder): SpawnOrder | undefined;
}

/**
 * Most root threads between their order and their row. Of a hundred thousand that are asked for at once the others wait as
 * what they were asked with, not as messages, questions and writes.
 */
export const MOST_UNDER_WAY = 1_000;

/** Makes the line. First come, first served: who leaves it hands its place to the next. */
export function createSpawnLine(tell: (event: SupervisorEvent) => void): SpawnLine {
  const waiting = createFifo<Placed>();
  let underWay = 0;
  const leave = (): void => {
    const next = waiting.shift();
    if (next) tell({ type: 'SPAWN', order: next });
    else underWay--;
  };
  return {
    enter(order) {
      if ('isPlaced' in order) return order;
      const done: SpawnOrder['done'] = (answer) => {
        try {
          order.done(answer);
        } finally {
          leave();
        }
      };
      const placed = { ...order, done, isPlaced: true } satisfies Placed;
      if (underWay === MOST_UNDER_WAY) {
        waiting.push(placed);
        return undefined;
      }
      underWay++;
      return placed;
    },
  };
}

/** One that has been in line. */
type Placed = SpawnOrder & { readonly isPlaced: true };
