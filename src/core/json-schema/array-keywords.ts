import { own } from '../record.ts';
import type { CheckRun, Keyword, KeywordPlace, SchemaCheck } from './schema-check.ts';
import { canonicalJson } from './same-json.ts';
import { badSchema } from './schema-walk.ts';
import { numberArgument } from './value-keywords.ts';

/** What constrains arrays. A list under `items` is read as `prefixItems`, as drafts before 2020-12 wrote it. */
export const ARRAY_KEYWORDS: readonly (readonly [string, Keyword])[] = [
  ['items', items],
  ['prefixItems', prefixItems],
  ['additionalItems', additionalItems],
  ['uniqueItems', uniqueItems],
  ['minItems', size('at least', (count, limit) => count >= limit)],
  ['maxItems', size('at most', (count, limit) => count <= limit)],
];

type ArrayCheck = (value: readonly unknown[], path: string, run: CheckRun) => void;

function onArrays(check: ArrayCheck): SchemaCheck {
  return (value, path, run) => {
    if (Array.isArray(value)) check(value, path, run);
  };
}

function items(argument: unknown, place: KeywordPlace): SchemaCheck {
  if (Array.isArray(argument)) return prefixItems(argument, place);
  const prefix = own(place.schema, 'prefixItems');
  return itemsFrom(Array.isArray(prefix) ? prefix.length : 0, argument, place);
}

function additionalItems(argument: unknown, place: KeywordPlace): SchemaCheck | undefined {
  const prefix = own(place.schema, 'items');
  return Array.isArray(prefix) ? itemsFrom(prefix.length, argument, place) : undefined;
}

function itemsFrom(start: number, argument: unknown, place: KeywordPlace): SchemaCheck {
  const check = place.compile(argument, place.pointer);
  return onArrays((value, path, run) => {
    for (let at = start; at < value.length; at += 1) check(value[at], `${path}[${at}]`, run);
  });
}

function prefixItems(argument: unknown, place: KeywordPlace): SchemaCheck {
  if (!Array.isArray(argument)) throw badSchema(place.pointer, 'expected a list of schemas');
  const checks = argument.map((schema: unknown, at) => place.compile(schema, `${place.pointer}/${at}`));
  return onArrays((value, path, run) => {
    for (const [at, check] of checks.entries()) {
      if (at < value.length) check(value[at], `${path}[${at}]`, run);
    }
  });
}

function uniqueItems(argument: unknown): SchemaCheck | undefined {
  if (argument !== true) return undefined;
  return onArrays((value, path, run) => {
    const first = new Map<string, number>();
    for (const [at, item] of value.entries()) {
      const key = canonicalJson(item);
      const before = first.get(key);
      if (before === undefined) first.set(key, at);
      else run.issues.push({ path: `${path}[${at}]`, message: `repeats item ${before}` });
    }
  });
}

function size(words: string, holds: (count: number, limit: number) => boolean): Keyword {
  return (argument, { pointer }) => {
    const limit = numberArgument(argument, pointer);
    return onArrays((value, path, run) => {
      if (holds(value.length, limit)) return;
      run.issues.push({ path, message: `must have ${words} ${limit} items, has ${value.length}` });
    });
  };
}
