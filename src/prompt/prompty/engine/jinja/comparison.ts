import { dataProperty, isData, isList, keysOf, listOf, notData, ownValue } from '../own-data.ts';
import type { Run } from '../run.ts';
import { nameOfKind } from './arithmetic.ts';
import type { ComparisonOperator } from './syntax.ts';

/** What the comparison of two lists or maps costs beside their elements. */
const COMPARE_STEPS = 10;

/** Two values compared. */
export type Compare = (left: unknown, right: unknown, run: Run) => boolean;

/** Lists and maps are equal when what is in them is; only numbers, or only texts, have an order. */
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

function equalAt(left: unknown, right: unknown, { run, depth }: { run: Run; depth: number }): boolean {
  if (typeof left === 'string') return typeof right === 'string' && isSameText(left, right, run);
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (depth >= run.nesting)
    throw run.error('template_nesting_exceeded', 'Values that are compared are nested too deep');
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

/** Negative, zero or positive. */
export function order(left: unknown, right: unknown, run: Run): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'string' && typeof right === 'string') {
    run.read(left.length < right.length ? left : right);
    if (left === right) return 0;
    return left < right ? -1 : 1;
  }
  throw run.refuse(`${nameOfKind(left)} and ${nameOfKind(right)} have no order`);
}

function contains(whole: unknown, part: unknown, run: Run): boolean {
  if (typeof whole === 'string' && typeof part === 'string') {
    run.search(whole, part);
    return whole.includes(part);
  }
  if (isList(whole)) return listOf(whole, run)?.some((element) => isEqual(element, part, run)) ?? false;
  if (whole === undefined || whole === null) return false;
  if (typeof whole !== 'object') throw run.refuse(`in can't look into ${nameOfKind(whole)}`);
  if (!isData(whole)) throw notData(whole, run);
  if (typeof part !== 'string') return false;
  run.read(part);
  return dataProperty(whole, part) !== undefined;
}
