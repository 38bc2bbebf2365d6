import type { Run } from './run.ts';

/** As large as numbers become: what is done with one costs about what it costs with a number. */
const LIMIT = 1n << 1024n;

/** Whether an integer has 1,024 bits at most. Costs the same whatever its size. */
export function isBoundedInteger(value: bigint): boolean {
  return value < LIMIT && value > -LIMIT;
}

/** An integer that may be used. @throws ValueError `template_value` for one of more than 1,024 bits */
export function boundedInteger(value: bigint, run: Run): bigint {
  if (isBoundedInteger(value)) return value;
  throw run.refuse("An integer of more than 1,024 bits can't be used in a template");
}

/** Its digits. @throws ValueError as {@link boundedInteger} */
export function integerText(value: bigint, run: Run): string {
  const text = String(boundedInteger(value, run));
  run.spend(1 + (text.length >> 3));
  return text;
}
