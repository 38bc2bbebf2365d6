import { listOf, keysOf } from '../own-data.ts';
import type { Run } from '../run.ts';
import { nameOfKind } from './arithmetic.ts';

/** A filter: its arguments arrive in the order of `parameters`, those not given are undefined. */
export interface Filter {
  readonly parameters: readonly string[];
  readonly apply: (value: unknown, args: readonly unknown[], run: Run) => unknown;
}

/** The elements a filter or a loop goes through: of a list, the characters of a text, the keys of a map, none of null and undefined. */
export function sequenceOf(value: unknown, run: Run): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') {
    run.spend(value.length);
    run.lookInto(value);
    return Array.from(value);
  }
  const elements = listOf(value, run) ?? keysOf(value, run);
  if (elements === undefined) throw run.refuse(`${nameOfKind(value)} has no elements`);
  return elements;
}

/** A number among the arguments. */
export function numberArgument(value: unknown, fallback: number, run: Run): number {
  if (value === undefined || value === null) return fallback;
  if (typeof value === 'number') return value;
  throw run.refuse(`A filter expected a number, not ${nameOfKind(value)}`);
}
