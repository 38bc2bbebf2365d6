import { isData, lengthOf, keysOf } from './own-data.ts';
import type { Run } from './run.ts';

/** Truth as Python has it: empty texts, lists and maps, zero, null and what is missing are false. */
export function isTrue(value: unknown, run: Run): boolean {
  if (typeof value === 'object' && value !== null) return isFilled(value, run);
  return Boolean(value);
}

/** Things that are no data are not looked into. A map has to go through all its keys to tell whether it has one. */
function isFilled(value: object, run: Run): boolean {
  if (value === run.filled || !isData(value)) return true;
  const length = lengthOf(value, run) ?? keysOf(value, run)?.length;
  if (length === 0) return false;
  run.filled = value;
  return true;
}
