import { types } from 'node:util';
import type { Run } from './run.ts';

/** A list or a map as data: what may be in it is unknown. */
export type DataMap = Readonly<Record<string, unknown>>;

/**
 * An own enumerable data property of a list or a map; undefined if there is none. Getters are not called, prototypes not
 * read.
 *
 * @throws ValueError `template_value` when the value is a function, a class instance, a proxy or another thing that is no data
 */
export function ownValue(value: unknown, key: string | number, run: Run): unknown {
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'function') throw notData(value, run);
    return undefined;
  }
  if (!isData(value)) throw notData(value, run);
  return dataProperty(value, key);
}

/** The elements of a list, or undefined if the value is none. Holes and getters are undefined elements. */
export function listOf(value: unknown, run: Run): readonly unknown[] | undefined {
  if (!Array.isArray(value)) return undefined;
  if (!isData(value)) throw notData(value, run);
  const length: number = value.length;
  run.spend(length);
  const elements: unknown[] = [];
  for (let at = 0; at < length; at += 1) elements.push(dataProperty(value, at));
  return elements;
}

/** The keys of a map, or undefined if the value is none. */
export function keysOf(value: unknown, run: Run): readonly string[] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  if (!isData(value)) throw notData(value, run);
  const keys = Object.keys(value);
  run.spend(keys.length);
  return keys;
}

/** A property of something that {@link isData}. */
export function dataProperty(value: object, key: string | number): unknown {
  const property = Object.getOwnPropertyDescriptor(value, key);
  return property?.enumerable === true ? property.value : undefined;
}

/** True for lists and maps of data; nothing of the value's own runs while this is found out. */
export function isData(value: object): boolean {
  // First of all: asking a proxy anything runs code.
  if (types.isProxy(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}

/** The error for what is no data. */
export function notData(value: object, run: Run): Error {
  const what = typeof value === 'function' ? 'A function' : 'An object that is neither a list nor a plain map';
  return run.refuse(`${what} can't be used in a template`);
}
