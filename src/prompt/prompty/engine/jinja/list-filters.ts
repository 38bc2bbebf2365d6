import { boundedInteger } from '../big-integer.ts';
import { keysOf, lengthOf, ownValue } from '../own-data.ts';
import type { Run } from '../run.ts';
import { textOf } from '../text-of.ts';
import { isTrue } from '../truth.ts';
import { nameOfKind } from './arithmetic.ts';
import { orderOfKeys } from './comparison.ts';
import { sequenceOf, type Filter } from './filter.ts';

/** What a pair of key and value costs beside the key. */
const PAIR_STEPS = 3;

/** What it costs to read a member of an element. */
const MEMBER_STEPS = 2;

/** Filters about what a value consists of. `map`, `select` and their kin are compiled, since they name others. */
export const LIST_FILTERS: readonly (readonly [string, Filter])[] = [
  ['default', { parameters: ['default_value', 'boolean'], apply: orDefault }],
  ['length', { parameters: [], apply: length }],
  ['join', { parameters: ['d', 'attribute'], apply: join }],
  ['first', { parameters: [], apply: (value, _, run) => sequenceOf(value, run)[0] }],
  ['last', { parameters: [], apply: (value, _, run) => sequenceOf(value, run).at(-1) }],
  ['list', { parameters: [], apply: (value, _, run) => sequenceOf(value, run) }],
  ['sort', { parameters: ['reverse', 'case_sensitive', 'attribute'], apply: sort }],
  ['unique', { parameters: ['case_sensitive', 'attribute'], apply: unique }],
  ['items', { parameters: [], apply: items }],
];

/** A default that is missing itself leaves the value missing, for the next one. */
function orDefault(value: unknown, args: readonly unknown[], run: Run): unknown {
  const [fallback, boolean] = args;
  const isMissing = isTrue(boolean, run) ? !isTrue(value, run) : value === undefined;
  if (!isMissing) return value;
  return args.length === 0 ? '' : fallback;
}

function length(value: unknown, _: readonly unknown[], run: Run): number {
  return lengthOf(value, run) ?? sequenceOf(value, run).length;
}

function join(value: unknown, [separator, attribute]: readonly unknown[], run: Run): string {
  const between = textOf(separator, run);
  const member = memberReader(attribute, run);
  let units = 0;
  const texts = sequenceOf(value, run).map((element) => {
    const text = textOf(member(element), run);
    units += text.length + between.length;
    run.reserve(units);
    return text;
  });
  run.make(units);
  return texts.join(between);
}

/** Reads the member of an element at a dotted path; the element itself without one. */
export function memberReader(path: unknown, run: Run): (element: unknown) => unknown {
  if (path === undefined || path === null) return (element) => element;
  if (typeof path === 'number') return (element) => ownValue(element, path, run);
  const text = textOf(path, run);
  run.spend(text.length);
  const keys = text.split('.');
  return (element) => {
    run.spend(MEMBER_STEPS * keys.length);
    let value = element;
    for (const key of keys) value = ownValue(value, key, run);
    return value;
  };
}

function sort(value: unknown, [reverse, caseSensitive, attribute]: readonly unknown[], run: Run): readonly unknown[] {
  const member = memberReader(attribute, run);
  const isExact = isTrue(caseSensitive, run);
  const elements = sequenceOf(value, run).map((element) => {
    const given = member(element);
    if (typeof given === 'string') run.lookInto(given);
    return { element, key: sortKey(given, isExact, run) };
  });
  run.spend(elements.length * Math.ceil(Math.log2(elements.length + 1)));
  const sign = isTrue(reverse, run) ? -1 : 1;
  elements.sort((one, other) => sign * orderOfKeys(one.key, other.key, run));
  return elements.map(({ element }) => element);
}

/** Making a text lower case costs as much as telling it from all others. */
function sortKey(value: unknown, isExact: boolean, run: Run): unknown {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'bigint') return boundedInteger(value, run);
  if (typeof value !== 'string') return value;
  run.read(value);
  return isExact ? value : value.toLowerCase();
}

/** Texts, numbers, booleans and null can be told apart; the first of several stays. */
function unique(value: unknown, [caseSensitive, attribute]: readonly unknown[], run: Run): readonly unknown[] {
  const seen = new Set<unknown>();
  const member = memberReader(attribute, run);
  const isExact = isTrue(caseSensitive, run);
  return sequenceOf(value, run).filter((element) => {
    const key = sortKey(member(element), isExact, run);
    if (typeof key === 'object' && key !== null) throw run.refuse(`unique can't take ${nameOfKind(key)}`);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

/** Pairs of key and value. */
function items(value: unknown, _: readonly unknown[], run: Run): readonly unknown[] {
  if (value === undefined) return [];
  const keys = keysOf(value, run);
  if (keys === undefined) throw run.refuse(`items can't take ${nameOfKind(value)}`);
  run.spend(PAIR_STEPS * keys.length);
  return keys.map((key) => [key, ownValue(value, key, run)]);
}
