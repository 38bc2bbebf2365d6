import { boundedInteger } from '../big-integer.ts';
import { dataProperty, isData, isList, keysOf, listOf, notData, ownValue } from '../own-data.ts';
import type { Run } from '../run.ts';
import { nameOfKind } from './arithmetic.ts';
import type { ComparisonOperator } from './syntax.ts';

/** What the comparison of two lists or maps costs beside their elements. */
const COMPARE_STEPS = 10;

/** Two values compared. */
export type Compare = (left: unknown, right: unknown, run: Run) => boolean;

/** Lists and maps are equal when what is in them is; numbers, texts and lists have an order, each among themselves. */
export const COMPARE: Readonly<Record<ComparisonOperator, Compare>> = {
  '==': isEqual,
  '!=': (left, right, run) => !isEqual(left, right, run),
  '<': (left, right, run) => order(left, right, run) < 0,
  '<=': (left, right, run) => order(left, right, run) <= 0,
  '>': (left, right, run) => order(left, right, run) > 0,
  '>=': (left, right, run) => order(left, right, run) >= 0,
  in: (left, right, run) => contains(right, left, run),
  'not in': (left, right, run) => !contains(right, left, run),
};

function isEqual(left: unknown, right: unknown, run: Run): boolean {
  return equalAt(left, right, { run, depth: 0 });
}

function equalAt(left: unknown, right: unknown, { run, depth }: Depth): boolean {
  if (typeof left === 'string') return typeof right === 'string' && isSameText(left, right, run);
  if (typeof left === 'bigint' && typeof right === 'bigint') return boundedInteger(left, run) === right;
  if (numeric(left) === numeric(right)) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (depth >= run.nesting) throw tooDeep(run);
  run.spend(COMPARE_STEPS);
  const deeper = { run, depth: depth + 1 };
  const [first, second] = [listOf(left, run), listOf(right, run)];
  if (first || second) {
    if (!first || first.length !== second?.length) return false;
    return first.every((element, at) => equalAt(element, second[at], deeper));
  }
  const keys = keysOf(left, run) ?? [];
  if (keys.length !== keysOf(right, run)?.length) return false;
  return keys.every(
    (key) => Object.hasOwn(right, key) && equalAt(ownValue(left, key, run), ownValue(right, key, run), deeper),
  );
}

/** Texts of one length are compared to their end. */
function isSameText(left: string, right: string, run: Run): boolean {
  if (left.length !== right.length) return false;
  run.read(left);
  return left === right;
}

/** As in Python, true is 1 and false is 0. */
function numeric(value: unknown): unknown {
  return typeof value === 'boolean' ? Number(value) : value;
}

function order(left: unknown, right: unknown, run: Run): number {
  return checkedOrder(left, right, { run, depth: 0 });
}

/** Negative, zero or positive. Where they are texts, {@link Run.lookInto} has been asked about them, once for a whole sort. */
export function orderOfKeys(left: unknown, right: unknown, run: Run): number {
  return orderAt(left, right, { run, depth: 0 });
}

type Depth = { readonly run: Run; readonly depth: number };

function checkedOrder(left: unknown, right: unknown, at: Depth): number {
  for (const value of [left, right]) if (typeof value === 'string') at.run.lookInto(value);
  return orderAt(left, right, at);
}

function orderAt(one: unknown, other: unknown, { run, depth }: Depth): number {
  const [left, right] = [numeric(one), numeric(other)];
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'string' && typeof right === 'string') {
    run.read(left.length < right.length ? left : right);
    if (left === right) return 0;
    return left < right ? -1 : 1;
  }
  if (!isList(left) || !isList(right)) throw run.refuse(`${nameOfKind(left)} and ${nameOfKind(right)} have no order`);
  if (depth >= run.nesting) throw tooDeep(run);
  run.spend(COMPARE_STEPS);
  const [first, second] = [listOf(left, run) ?? [], listOf(right, run) ?? []];
  const deeper = { run, depth: depth + 1 };
  const at = first.findIndex((element, index) => index >= second.length || !equalAt(element, second[index], deeper));
  if (at === -1 || at >= second.length) return first.length - second.length;
  return checkedOrder(first[at], second[at], deeper);
}

function tooDeep(run: Run): Error {
  return run.error('template_nesting_exceeded', 'Values that are compared are nested too deep');
}

function contains(whole: unknown, part: unknown, run: Run): boolean {
  if (typeof whole === 'string' && typeof part === 'string') {
    run.lookInto(whole);
    run.search(whole, part);
    return whole.includes(part);
  }
  if (isList(whole)) return listOf(whole, run)?.some((element) => isEqual(element, part, run)) ?? false;
  if (whole === undefined || whole === null) return false;
  if (typeof whole !== 'object') throw run.refuse(`in can't look into ${nameOfKind(whole)}`);
  if (!isData(whole)) throw notData(whole, run);
  // As a subscript finds it.
  if (typeof part !== 'string') return typeof part === 'number' && dataProperty(whole, part) !== undefined;
  run.read(part);
  return dataProperty(whole, part) !== undefined;
}
