import type { Surroundings } from '../../src/core/surroundings.ts';
import type { Node, World } from './world.ts';

/** What a node of the world has in place of a machine. */
export function surroundingsOf({ random }: World, { clock, schedule }: Node): Surroundings {
  return {
    clock,
    random,
    randomBytes: (size) => Uint8Array.from({ length: size }, () => Math.floor(random() * 256)),
    schedule,
  };
}
