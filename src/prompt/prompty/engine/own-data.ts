import { types } from 'node:util';
import { setOwn } from '../../../core/record.ts';
import type { Run } from './run.ts';
import { ValueError } from './value-error.ts';

/** An element that is looked at costs as much as some tokens, and so does a key that is listed. */
const ELEMENT_STEPS = 4;
const KEY_STEPS = 6;

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
  if (!isKnownData(value, run)) throw notData(value, run);
  return dataProperty(value, key);
}

/** As {@link isData}. Members of one element are mostly read one after the other; nothing can change what it is meanwhile. */
export function isKnownData(value: object, run: Run): boolean {
  if (value === run.known) return true;
  if (!isData(value)) return false;
  run.known = value;
  return true;
}

/** The elements of a list, or undefined if the value is none. Holes and getters are undefined elements. */
export function listOf(value: unknown, run: Run): readonly unknown[] | undefined {
  const length = lengthOf(value, run);
  if (length === undefined || !isList(value)) return undefined;
  run.spend(ELEMENT_STEPS * (length + 1));
  const elements: unknown[] = [];
  for (let at = 0; at < length; at += 1) elements.push(element(value, at));
  return elements;
}

/** The number of elements of a list, or undefined if the value is none. */
export function lengthOf(value: unknown, run: Run): number | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!isData(value)) throw notData(value, run);
  return isList(value) ? value.length : undefined;
}

/** The keys of a map, or undefined if the value is none. */
export function keysOf(value: unknown, run: Run): readonly string[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!isData(value)) throw notData(value, run);
  if (isList(value)) return undefined;
  const keys = Object.keys(value);
  run.spend(KEY_STEPS * (keys.length + 1));
  return keys;
}

/** As {@link dataProperty}, a third of its cost: a list's own descriptors are slow to get. */
function element(list: readonly unknown[], at: number): unknown {
  return Object.hasOwn(list, at) && lookUpGetter.call(list, at) === undefined ? list[at] : undefined;
}

// Not in the types, since it is old; every engine has it, and this is its signature.
const lookUpGetter = Reflect.get(Object.prototype, '__lookupGetter__') as (this: object, key: number) => unknown;

/** A property of something that {@link isData}. */
export function dataProperty(value: object, key: string | number): unknown {
  const property = Object.getOwnPropertyDescriptor(value, key);
  return property?.enumerable === true ? property.value : undefined;
}

/** More inputs than any prompt has. */
const MAX_INPUTS = 10_000;

/**
 * The inputs that are given: own data properties that are not null, since a null is no value of an input (a template never finds
 * that one `is none`). Nulls inside of values stay. Getters are not called, a proxy has none.
 *
 * @throws ValueError `invalid_input` when there are too many
 */
export function ownData(map: object): Record<string, unknown> {
  const keys = types.isProxy(map) ? [] : Object.keys(map);
  if (keys.length > MAX_INPUTS) {
    throw new ValueError('invalid_input', `There are ${keys.length} inputs, a prompt takes ${MAX_INPUTS} at most`);
  }
  const data: Record<string, unknown> = {};
  for (const key of keys) {
    const value = dataProperty(map, key);
    if (value !== undefined && value !== null) setOwn(data, key, value);
  }
  return data;
}

/** True for a list, never for a proxy of one: `Array.isArray` throws when a proxy has been revoked. */
export function isList(value: unknown): value is readonly unknown[] {
  return typeof value === 'object' && !types.isProxy(value) && Array.isArray(value);
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
