import { isKnownData, ownValue } from '../own-data.ts';
import type { Run } from '../run.ts';

/** The value a section is about, and those around it. Of a section there is one, which its elements take turns in. */
export interface Context {
  value: unknown;
  readonly outer: Context | undefined;
  /** The partials this rendering has met, by indent and name. */
  readonly met: Map<string, Partial>;
}

/** A partial ready to be written; `weight` is what carrying it out once costs. */
export interface Partial {
  readonly write: (run: Run, context: Context) => void;
  readonly weight: number;
}

/** What it costs to look into one more value, around the current one or inside of what was found. */
const LOOK_UP_STEPS = 3;

/** Finds the value of a tag. */
export type LookUp = (context: Context, run: Run) => unknown;

/**
 * Makes what finds the value at a path: its first name is looked for in the nearest map that has it, the others only inside
 * what was found. The empty path is the current value.
 */
export function compileLookUp([first, ...inside]: readonly string[]): LookUp {
  if (first === undefined) return ({ value }) => value;
  if (inside.length === 0) return (context, run) => nearest(first, context, run);
  return (context, run) => {
    let value = nearest(first, context, run);
    for (const name of inside) {
      if (value === undefined) break;
      run.spend(LOOK_UP_STEPS);
      value = ownValue(value, name, run);
    }
    return value;
  };
}

function nearest(name: string, context: Context, run: Run): unknown {
  for (let at: Context | undefined = context; at !== undefined; at = at.outer) {
    const { value } = at;
    run.spend(LOOK_UP_STEPS);
    if (typeof value !== 'object' || value === null || !isKnownData(value, run)) continue;
    const property = Object.getOwnPropertyDescriptor(value, name);
    // A getter that is there hides what is around it, and counts as missing.
    if (property !== undefined) return property.enumerable === true ? property.value : undefined;
  }
  return undefined;
}
