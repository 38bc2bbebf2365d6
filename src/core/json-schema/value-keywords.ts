import { JSON_TYPES } from '../json-type.ts';
import { own } from '../record.ts';
import { sameJson } from './same-json.ts';
import type { Keyword, KeywordPlace, SchemaCheck } from './schema-check.ts';
import { badSchema } from './schema-walk.ts';

/** `type`, `enum`, `const` and what constrains numbers and strings. */
export const VALUE_KEYWORDS: readonly (readonly [string, Keyword])[] = [
  ['type', type],
  ['enum', enumeration],
  ['const', (argument) => oneOfValues([argument])],
  ['minimum', bound('at least', (value, limit) => value >= limit)],
  ['maximum', bound('at most', (value, limit) => value <= limit)],
  ['exclusiveMinimum', bound('greater than', (value, limit) => value > limit)],
  ['exclusiveMaximum', bound('less than', (value, limit) => value < limit)],
  ['multipleOf', bound('a multiple of', (value, limit) => isMultiple(value, limit))],
  ['minLength', length('at least', (size, limit) => size >= limit)],
  ['maxLength', length('at most', (size, limit) => size <= limit)],
  ['pattern', pattern],
];

function type(argument: unknown, { pointer }: KeywordPlace): SchemaCheck {
  const names: readonly unknown[] = Array.isArray(argument) ? argument : [argument];
  const tests = names.map((name) => {
    const test = typeof name === 'string' ? own(JSON_TYPES, name) : undefined;
    if (!test)
      throw badSchema(pointer, `${JSON.stringify(name)} is not a type; use ${Object.keys(JSON_TYPES).join(', ')}`);
    return test;
  });
  const wanted = names.join(' or ');
  return (value, path, run) => {
    // Every field of every event comes by here: no closure per look.
    for (const test of tests) if (test(value)) return;
    run.issues.push({ path, message: `must be ${wanted}, found ${nameOf(value)}` });
  };
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function enumeration(argument: unknown, { pointer }: KeywordPlace): SchemaCheck {
  if (!Array.isArray(argument)) throw badSchema(pointer, 'enum must be a list of values');
  return oneOfValues(argument);
}

function oneOfValues(allowed: readonly unknown[]): SchemaCheck {
  const list = allowed.map((value) => JSON.stringify(value)).join(', ');
  return (value, path, run) => {
    if (allowed.some((one) => sameJson(one, value))) return;
    run.issues.push({ path, message: `must be ${allowed.length === 1 ? list : `one of ${list}`}` });
  };
}

function bound(words: string, holds: (value: number, limit: number) => boolean): Keyword {
  return (argument, { pointer }) => {
    const limit = numberArgument(argument, pointer);
    return (value, path, run) => {
      if (typeof value !== 'number' || holds(value, limit)) return;
      run.issues.push({ path, message: `must be ${words} ${limit}, found ${value}` });
    };
  };
}

function length(words: string, holds: (size: number, limit: number) => boolean): Keyword {
  return (argument, { pointer }) => {
    const limit = numberArgument(argument, pointer);
    return (value, path, run) => {
      if (typeof value !== 'string') return;
      const size = codePoints(value);
      if (!holds(size, limit))
        run.issues.push({ path, message: `must have ${words} ${limit} characters, has ${size}` });
    };
  };
}

/**
 * A number that a keyword takes.
 *
 * @throws SkeinError `invalid_item` when it is not one.
 */
export function numberArgument(argument: unknown, pointer: string): number {
  if (typeof argument === 'number' && Number.isFinite(argument)) return argument;
  throw badSchema(pointer, `expected a number, found ${JSON.stringify(argument)}`);
}

function isMultiple(value: number, step: number): boolean {
  if (step <= 0) return false;
  const quotient = value / step;
  return Math.abs(quotient - Math.round(quotient)) <= Number.EPSILON * Math.max(1, Math.abs(quotient));
}

function codePoints(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1) count += 1;
  return count;
}

function pattern(argument: unknown, place: KeywordPlace): SchemaCheck {
  const isFound = place.pattern(argument, place.pointer);
  return (value, path, run) => {
    if (typeof value !== 'string' || isFound(value, run)) return;
    run.issues.push({ path, message: `must match the pattern ${String(argument)}` });
  };
}
