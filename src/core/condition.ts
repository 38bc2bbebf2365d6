import type { RE2JS } from 're2js';
import { compilePattern } from './bounded-pattern.ts';
import { SkeinError, messageOf, type ErrorPlace } from './errors.ts';
import { asText, compilePath, type FieldReader } from './path.ts';

/** A compiled condition: whether a context fulfils it. */
export type Condition = (context: unknown) => boolean;

/** The ten operators (S2 §4.2). */
export const CONDITION_OPERATORS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains', 'regex', 'exists'] as const;
/** One of {@link CONDITION_OPERATORS}. */
export type ConditionOperator = (typeof CONDITION_OPERATORS)[number];

/** Deepest nesting of combinators. */
const MAX_DEPTH = 64;

/**
 * Compiles a condition of S2 §7.3: `{path, op, value}` (`op` defaults to `eq`), or one of `{any: […]}`, `{all: […]}`,
 * `{not: …}`. Nothing (`undefined`, `null`, `{}`) is always true. A field that is null counts as missing. `contains`
 * looks for text, in a list for an element; `contains` and `regex` never match a missing or falsy field; an order
 * between different types is false; regular expressions run on RE2, in linear time.
 *
 * @param place where the condition stands; errors name it and the path inside the condition.
 * @throws SkeinError `invalid_config` for an unknown operator, a malformed condition or a bad regular expression.
 */
export function compileCondition(spec: unknown, place: ErrorPlace): Condition {
  return compileNode(spec, { ...place, path: place.path ?? '' }, 0);
}

/** Why a condition would not compile, with its path in it; undefined if it does. */
export function conditionFault(spec: unknown): SkeinError | undefined {
  try {
    compileCondition(spec, {});
    return undefined;
  } catch (error) {
    if (error instanceof SkeinError) return error;
    throw error;
  }
}

type NodePlace = ErrorPlace & { readonly path: string };
type Fields = Readonly<Record<string, unknown>>;

function compileNode(spec: unknown, place: NodePlace, depth: number): Condition {
  if (spec === undefined || spec === null) return () => true;
  if (typeof spec !== 'object' || Array.isArray(spec)) {
    return refuse(place, 'a condition is a map with path/op/value, any, all or not');
  }
  if (depth >= MAX_DEPTH) return refuse(place, `condition is nested deeper than ${MAX_DEPTH} levels`);
  const keys = Object.keys(spec);
  if (keys.length === 0) return () => true;
  // Own enumerable keys are read by name below, each value is checked before use.
  const fields = spec as Fields;
  const combinator = keys.find((key) => key === 'any' || key === 'all' || key === 'not');
  if (combinator === undefined) return compileTest(fields, place);
  if (keys.length > 1) return refuse(place, `"${combinator}" stands alone; also found: ${others(keys, combinator)}`);
  if (combinator === 'not') return compileNot(fields['not'], at(place, 'not'), depth);
  return compileList(combinator, fields[combinator], { place: at(place, combinator), depth });
}

function others(keys: readonly string[], known: string): string {
  return keys.filter((key) => key !== known).join(', ');
}

function compileNot(spec: unknown, place: NodePlace, depth: number): Condition {
  const inner = compileNode(spec, place, depth + 1);
  return (context) => !inner(context);
}

function compileList(
  combinator: string,
  specs: unknown,
  { place, depth }: { readonly place: NodePlace; readonly depth: number },
): Condition {
  if (!Array.isArray(specs)) return refuse(place, `"${combinator}" takes a list of conditions`);
  const conditions = specs.map((spec: unknown, index) =>
    compileNode(spec, { ...place, path: `${place.path}[${index}]` }, depth + 1),
  );
  const decisive = combinator === 'any';
  return (context) => {
    for (const condition of conditions) if (condition(context) === decisive) return decisive;
    return !decisive;
  };
}

function compileTest(fields: Fields, place: NodePlace): Condition {
  const unknown = Object.keys(fields).find((key) => key !== 'path' && key !== 'op' && key !== 'value');
  if (unknown !== undefined) {
    return refuse(place, `unknown key "${unknown}" in a condition; allowed: path, op, value, any, all, not`);
  }
  const read = compileField(fields['path'], at(place, 'path'));
  const op = parseOperator(Object.hasOwn(fields, 'op') ? fields['op'] : 'eq', at(place, 'op'));
  if (op === 'exists') return compileExists(read, fields['value'], at(place, 'value'));
  if (!Object.hasOwn(fields, 'value')) return refuse(place, `operator "${op}" needs a value`);
  return COMPILERS[op]({ read, value: fields['value'], place: at(place, 'value') });
}

function compileField(path: unknown, place: NodePlace): FieldReader {
  if (typeof path !== 'string' || path.split('.').includes('')) {
    return refuse(place, 'a condition needs a path such as "error.type"');
  }
  return compilePath(path);
}

function parseOperator(op: unknown, place: NodePlace): ConditionOperator {
  const known = CONDITION_OPERATORS.find((name) => name === op);
  return known ?? refuse(place, `unknown operator ${JSON.stringify(op)}; allowed: ${CONDITION_OPERATORS.join(', ')}`);
}

function compileExists(read: FieldReader, value: unknown, place: NodePlace): Condition {
  if (value !== undefined && value !== true) return refuse(place, '"exists" takes no value; negate it with "not"');
  return (context) => !isMissing(read(context));
}

type Operand = { readonly read: FieldReader; readonly value: unknown; readonly place: NodePlace };

type Compiler = (operand: Operand) => Condition;

const COMPILERS: Readonly<Record<Exclude<ConditionOperator, 'exists'>, Compiler>> = {
  eq:
    ({ read, value }) =>
    (context) =>
      isEqual(read(context), value),
  ne:
    ({ read, value }) =>
    (context) =>
      !isEqual(read(context), value),
  gt: (operand) => compileOrder(operand, (actual, value) => actual > value),
  gte: (operand) => compileOrder(operand, (actual, value) => actual >= value),
  lt: (operand) => compileOrder(operand, (actual, value) => actual < value),
  lte: (operand) => compileOrder(operand, (actual, value) => actual <= value),
  in: compileIn,
  contains: compileContains,
  regex: compileRegex,
};

function compileIn({ read, value, place }: Operand): Condition {
  if (!Array.isArray(value)) return refuse(place, '"in" takes a list');
  const list: readonly unknown[] = value;
  return (context) => includes(list, read(context));
}

function compileContains({ read, value, place }: Operand): Condition {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    return refuse(place, '"contains" takes a text, a number or a boolean');
  }
  const text = String(value);
  return (context) => {
    const actual = read(context);
    if (Array.isArray(actual)) return includes(actual, value);
    return Boolean(actual) && asText(actual).includes(text);
  };
}

function compileRegex({ read, value, place }: Operand): Condition {
  if (typeof value !== 'string') return refuse(place, '"regex" takes a text');
  const pattern = parsePattern(value, place);
  return (context) => {
    const actual = read(context);
    return Boolean(actual) && pattern.test(asText(actual));
  };
}

function parsePattern(source: string, place: NodePlace): RE2JS {
  try {
    return compilePattern(source);
  } catch (cause) {
    throw new SkeinError('invalid_config', `bad regular expression: ${messageOf(cause)}`, { where: place, cause });
  }
}

type Comparison = <Value extends number | string>(actual: Value, value: Value) => boolean;

function compileOrder({ read, value, place }: Operand, holds: Comparison): Condition {
  if (typeof value === 'number') {
    return (context) => {
      const actual = read(context);
      return typeof actual === 'number' && holds(actual, value);
    };
  }
  if (typeof value !== 'string') return refuse(place, 'an order (gt, gte, lt, lte) takes a number or a text');
  return (context) => {
    const actual = read(context);
    return typeof actual === 'string' && holds(actual, value);
  };
}

function includes(list: readonly unknown[], wanted: unknown): boolean {
  for (const item of list) if (isEqual(item, wanted)) return true;
  return false;
}

/** Equality by value, of maps and lists too. The recursion is as deep as the smaller of the two. */
function isEqual(one: unknown, other: unknown): boolean {
  if (one === other || (isMissing(one) && isMissing(other))) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || isMissing(one) || isMissing(other)) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  // Both are objects; every key is checked to be an own property before it is read.
  const [left, right] = [one as Fields, other as Fields];
  return keys.every((key) => Object.hasOwn(right, key) && isEqual(left[key], right[key]));
}

function isMissing(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function at(place: NodePlace, key: string): NodePlace {
  return { ...place, path: place.path === '' ? key : `${place.path}.${key}` };
}

function refuse(where: NodePlace, message: string): never {
  throw new SkeinError('invalid_config', message, { where });
}
