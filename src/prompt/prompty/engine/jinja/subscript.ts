import { isList, lengthOf, ownValue } from '../own-data.ts';
import type { Run } from '../run.ts';
import { sequenceOf, numberArgument } from './filter.ts';

/** `value[key]`: an element from the front or, negative, from the end; a character of a text; a member of a map. */
export function subscript(value: unknown, key: unknown, run: Run): unknown {
  if (typeof key === 'number') {
    if (typeof value === 'string') return sequenceOf(value, run).at(Math.trunc(key));
    const at = key < 0 ? key + (lengthOf(value, run) ?? 0) : key;
    return ownValue(value, at, run);
  }
  if (typeof key !== 'string') return undefined;
  run.read(key);
  return ownValue(value, key, run);
}

/** The bounds of a slice, as they were computed. */
export interface SliceBounds {
  readonly start: unknown;
  readonly stop: unknown;
  readonly step: unknown;
}

/** `value[start:stop:step]` of a list or a text, as in Python. */
export function slice(value: unknown, bounds: SliceBounds, run: Run): unknown {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' && !isList(value)) throw run.refuse('Only lists and texts can be cut into slices');
  const elements = sequenceOf(value, run);
  const step = Math.trunc(numberArgument(bounds.step, 1, run));
  if (step === 0) throw run.refuse('The step of a slice can not be zero');
  const { length } = elements;
  const [low, high] = step > 0 ? [0, length] : [-1, length - 1];
  const bound = (given: unknown, fallback: number): number => {
    const at = Math.trunc(numberArgument(given, fallback, run));
    const fromFront = at < 0 && given !== undefined && given !== null ? at + length : at;
    return Math.min(Math.max(fromFront, low), high);
  };
  const picked: unknown[] = [];
  const stop = bound(bounds.stop, step > 0 ? high : low);
  for (let at = bound(bounds.start, step > 0 ? low : high); step > 0 ? at < stop : at > stop; at += step) {
    picked.push(elements[at]);
  }
  return typeof value === 'string' ? picked.join('') : picked;
}
