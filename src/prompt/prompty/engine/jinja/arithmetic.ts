import type { Run } from '../run.ts';
import { isList, listOf } from '../own-data.ts';
import type { BinaryOperator } from './syntax.ts';

/** An operation on two values. */
export type Operation = (left: unknown, right: unknown, run: Run) => unknown;

/** Arithmetic on numbers as Python has it; `+` also joins texts or lists, `*` repeats a text. */
export const ARITHMETIC: Readonly<Record<BinaryOperator, Operation>> = {
  '+': add,
  '-': onNumbers('-', (one, other) => one - other),
  '*': multiply,
  '/': (left, right, run) => number(left, '/', run) / divisor(right, '/', run),
  '//': (left, right, run) => Math.floor(number(left, '//', run) / divisor(right, '//', run)),
  '%': modulo,
  '**': onNumbers('**', (one, other) => one ** other),
};

/** Whole numbers stay exact, as in Python, or are refused. */
function onNumbers(operator: string, operate: (one: number, other: number) => number) {
  return (left: unknown, right: unknown, run: Run): number => {
    const [one, other] = [number(left, operator, run), number(right, operator, run)];
    const result = operate(one, other);
    const isExact = Number.isSafeInteger(result) || !Number.isSafeInteger(one) || !Number.isSafeInteger(other);
    if (Number.isNaN(result) || (!isExact && !isFraction(result))) {
      throw run.refuse(`${operator} makes a number that is too large to be exact, or none`);
    }
    return result;
  };
}

function isFraction(result: number): boolean {
  return Number.isFinite(result) && !Number.isInteger(result);
}

const sum = onNumbers('+', (one, other) => one + other);
const product = onNumbers('*', (one, other) => one * other);

function add(left: unknown, right: unknown, run: Run): unknown {
  if (typeof left === 'string' && typeof right === 'string') {
    run.reserve(left.length + right.length);
    return left + right;
  }
  const [first, second] = isList(left) && isList(right) ? [listOf(left, run), listOf(right, run)] : [];
  if (first && second) return [...first, ...second];
  return sum(left, right, run);
}

function multiply(left: unknown, right: unknown, run: Run): unknown {
  if (typeof left === 'string') return repeat(left, number(right, '*', run), run);
  if (typeof right === 'string') return repeat(right, number(left, '*', run), run);
  return product(left, right, run);
}

function repeat(text: string, times: number, run: Run): string {
  const count = Math.max(0, Math.floor(times));
  run.reserve(text.length * count);
  return text.repeat(count);
}

/** The sign is the divisor's, as in Python. */
function modulo(left: unknown, right: unknown, run: Run): number {
  const by = divisor(right, '%', run);
  const rest = number(left, '%', run) % by;
  return rest !== 0 && rest < 0 !== by < 0 ? rest + by : rest;
}

function divisor(value: unknown, operator: string, run: Run): number {
  const by = number(value, operator, run);
  if (by === 0) throw run.refuse(`${operator} divides by zero`);
  return by;
}

function number(value: unknown, operator: string, run: Run): number {
  if (typeof value === 'number') return value;
  throw run.refuse(`${operator} can't take ${nameOfKind(value)}`);
}

/** What a value is, for a message. */
export function nameOfKind(value: unknown): string {
  if (value === undefined) return 'an undefined value';
  if (value === null) return 'none';
  if (isList(value)) return 'a list';
  return typeof value === 'object' ? 'a map' : `a ${typeof value}`;
}
