import { isRecord, own } from '../record.ts';
import type { CheckRun, Keyword, KeywordPlace, SchemaCheck, SchemaIssue, SchemaPattern } from './schema-check.ts';
import { badSchema } from './schema-walk.ts';
import { numberArgument } from './value-keywords.ts';

/** What constrains objects. */
export const OBJECT_KEYWORDS: readonly (readonly [string, Keyword])[] = [
  ['properties', properties],
  ['required', required],
  ['additionalProperties', additionalProperties],
  ['patternProperties', patternProperties],
  ['propertyNames', propertyNames],
  ['dependentRequired', dependentRequired],
  ['minProperties', size('at least', (count, limit) => count >= limit)],
  ['maxProperties', size('at most', (count, limit) => count <= limit)],
];

type ObjectCheck = (value: Readonly<Record<string, unknown>>, path: string, run: CheckRun) => void;

function onObjects(check: ObjectCheck): SchemaCheck {
  return (value, path, run) => {
    if (isRecord(value)) check(value, path, run);
  };
}

/** The path of a property below `path`. */
function below(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function properties(argument: unknown, place: KeywordPlace): SchemaCheck {
  const declared = compileMap(argument, place);
  return onObjects((value, path, run) => {
    for (const { key, check } of declared) {
      if (Object.hasOwn(value, key)) check(value[key], below(path, key), run);
    }
  });
}

type KeyedCheck = { readonly key: string; readonly check: SchemaCheck };

function compileMap(argument: unknown, place: KeywordPlace): readonly KeyedCheck[] {
  if (!isRecord(argument)) throw badSchema(place.pointer, 'expected an object whose values are schemas');
  return Object.entries(argument).map(([key, schema]) => ({
    key,
    check: place.compile(schema, `${place.pointer}/${key}`),
  }));
}

function required(argument: unknown, { pointer }: KeywordPlace): SchemaCheck {
  const names = nameList(argument, pointer);
  return onObjects((value, path, run) => {
    for (const name of names) {
      if (!Object.hasOwn(value, name)) addMissing(run, { path: below(path, name), message: 'is required' });
    }
  });
}

/** Many names can be missing in each of many values: each takes a step. */
function addMissing(run: CheckRun, issue: SchemaIssue): void {
  run.stepsLeft -= 1;
  if (run.stepsLeft > 0) run.issues.push(issue);
}

function nameList(argument: unknown, pointer: string): readonly string[] {
  if (Array.isArray(argument) && argument.every((name) => typeof name === 'string')) return argument;
  throw badSchema(pointer, `expected a list of property names, found ${JSON.stringify(argument)}`);
}

function additionalProperties(argument: unknown, place: KeywordPlace): SchemaCheck {
  const check = place.compile(argument, place.pointer);
  const declared = own(place.schema, 'properties');
  const known = new Set(isRecord(declared) ? Object.keys(declared) : []);
  const patterned = own(place.schema, 'patternProperties');
  const patterns = Object.keys(isRecord(patterned) ? patterned : {}).map((text) => place.pattern(text, place.pointer));
  const refused = argument === false;
  const unknown = unknownName(known);
  return onObjects((value, path, run) => {
    for (const key of Object.keys(value)) {
      if (known.has(key) || isMatched(key, patterns, run)) continue;
      if (refused) run.issues.push({ path: below(path, key), message: unknown });
      else check(value[key], below(path, key), run);
    }
  });
}

function isMatched(key: string, patterns: readonly SchemaPattern[], run: CheckRun): boolean {
  for (const isFound of patterns) if (isFound(key, run)) return true;
  return false;
}

function unknownName(known: ReadonlySet<string>): string {
  return known.size === 0 ? 'is not a known name' : `is not a known name; known are ${[...known].join(', ')}`;
}

function patternProperties(argument: unknown, place: KeywordPlace): SchemaCheck {
  const declared = compileMap(argument, place).map(({ key, check }) => ({
    isFound: place.pattern(key, place.pointer),
    check,
  }));
  return onObjects((value, path, run) => {
    for (const key of Object.keys(value)) {
      for (const { isFound, check } of declared) {
        if (isFound(key, run)) check(value[key], below(path, key), run);
      }
    }
  });
}

function propertyNames(argument: unknown, place: KeywordPlace): SchemaCheck {
  const check = place.compile(argument, place.pointer);
  return onObjects((value, path, run) => {
    for (const key of Object.keys(value)) check(key, below(path, key), run);
  });
}

function dependentRequired(argument: unknown, { pointer }: KeywordPlace): SchemaCheck {
  if (!isRecord(argument)) throw badSchema(pointer, 'expected an object of name lists');
  const rules = Object.entries(argument).map(([key, names]) => [key, nameList(names, `${pointer}/${key}`)] as const);
  return onObjects((value, path, run) => {
    for (const [key, names] of rules) {
      if (!Object.hasOwn(value, key)) continue;
      for (const name of names.filter((name) => !Object.hasOwn(value, name))) {
        addMissing(run, { path: below(path, name), message: `is required when ${key} is given` });
      }
    }
  });
}

function size(words: string, holds: (count: number, limit: number) => boolean): Keyword {
  return (argument, { pointer }) => {
    const limit = numberArgument(argument, pointer);
    return onObjects((value, path, run) => {
      const count = Object.keys(value).length;
      if (!holds(count, limit))
        run.issues.push({ path, message: `must have ${words} ${limit} properties, has ${count}` });
    });
  };
}
