import { keysOf, lengthOf, ownValue } from '../own-data.ts';
import type { Run } from '../run.ts';
import { textOf } from '../text-of.ts';
import { isTrue } from '../truth.ts';
import { nameOfKind } from './arithmetic.ts';
import { order } from './comparison.ts';
import { elementsOf, type Filter } from './filter.ts';

/** Filters about what a value consists of. `map`, `select` and their kin are compiled, since they name others. */
export const LIST_FILTERS: readonly (readonly [string, Filter])[] = [
  ['default', { parameters: ['default_value', 'boolean'], apply: orDefault }],
  ['length', { parameters: [], apply: length }],
  ['join', { parameters: ['d', 'attribute'], apply: join }],
  ['first', { parameters: [], apply: (value, _, run) => elementsOf(value, run)[0] }],
  ['last', { parameters: [], apply: (value, _, run) => elementsOf(value, run).at(-1) }],
  ['list', { parameters: [], apply: (value, _, run) => elementsOf(value, run) }],
  ['sort', { parameters: ['reverse', 'case_sensitive', 'attribute'], apply: sort }],
  ['unique', { parameters: ['case_sensitive', 'attribute'], apply: unique }],
  ['items', { parameters: [], apply: items }],
];

function orDefault(value: unknown, [fallback, boolean]: readonly unknown[]): unknown {
  const isMissing = isTrue(boolean) ? !isTrue(value) : value === undefined;
  return isMissing ? (fallback ?? '') : value;
}

function length(value: unknown, _: readonly unknown[], run: Run): number {
  return lengthOf(value, run) ?? elementsOf(value, run).length;
}

function join(value: unknown, [separator, attribute]: readonly unknown[], run: Run): string {
  const between = textOf(separator, run);
  let units = 0;
  const texts = elementsOf(value, run).map((element) => {
    const text = textOf(attributeOf(element, attribute, run), run);
    units += text.length + between.length;
    run.reserve(units);
    return text;
  });
  return texts.join(between);
}

/** The member of an element at a dotted path; the element itself without one. */
export function attributeOf(element: unknown, path: unknown, run: Run): unknown {
  if (path === undefined || path === null) return element;
  if (typeof path === 'number') return ownValue(element, path, run);
  let value = element;
  for (const key of textOf(path, run).split('.')) value = ownValue(value, key, run);
  return value;
}

function sort(value: unknown, [reverse, caseSensitive, attribute]: readonly unknown[], run: Run): readonly unknown[] {
  const elements = elementsOf(value, run).map((element) => ({
    element,
    key: sortKey(attributeOf(element, attribute, run), caseSensitive),
  }));
  run.spend(elements.length * Math.ceil(Math.log2(elements.length + 1)));
  const sign = isTrue(reverse) ? -1 : 1;
  elements.sort((one, other) => sign * order(one.key, other.key, run));
  return elements.map(({ element }) => element);
}

function sortKey(value: unknown, caseSensitive: unknown): unknown {
  return typeof value === 'string' && !isTrue(caseSensitive) ? value.toLowerCase() : value;
}

/** Texts, numbers, booleans and null can be told apart; the first of several stays. */
function unique(value: unknown, [caseSensitive, attribute]: readonly unknown[], run: Run): readonly unknown[] {
  const seen = new Set<unknown>();
  return elementsOf(value, run).filter((element) => {
    const key = sortKey(attributeOf(element, attribute, run), caseSensitive);
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
  return keys.map((key) => [key, ownValue(value, key, run)]);
}
