import { isData } from './own-data.ts';

/** Truth as Python has it: empty texts, lists and maps, zero, null and what is missing are false. */
export function isTrue(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return !isEmpty(value);
  return Boolean(value);
}

/** Things that are no data are not looked into. */
function isEmpty(value: object): boolean {
  if (!isData(value)) return false;
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}
