import { isData, isList } from '../own-data.ts';
import type { Run } from '../run.ts';
import { ARITHMETIC } from './arithmetic.ts';
import { COMPARE } from './comparison.ts';
import type { ComparisonOperator } from './syntax.ts';

/** `value is name(argument)`. */
export type ValueTest = (value: unknown, argument: unknown, run: Run) => boolean;

const TESTS: ReadonlyMap<string, ValueTest> = new Map<string, ValueTest>([
  ['defined', (value) => value !== undefined],
  ['undefined', (value) => value === undefined],
  ['none', (value) => value === null],
  ['true', (value) => value === true],
  ['false', (value) => value === false],
  ['boolean', (value) => typeof value === 'boolean'],
  ['string', (value) => typeof value === 'string'],
  // As in Python, where true is 1.
  ['number', (value) => ['number', 'bigint', 'boolean'].includes(typeof value)],
  ['mapping', (value) => isCollection(value) && !isList(value)],
  ['sequence', (value) => value === undefined || typeof value === 'string' || isCollection(value)],
  ['even', (value, _, run) => ARITHMETIC['%'](value, 2, run) === 0],
  ['odd', (value, _, run) => ARITHMETIC['%'](value, 2, run) === 1],
]);

const TESTS_WITH_ARGUMENT: ReadonlyMap<string, ValueTest> = new Map<string, ValueTest>([
  ['divisibleby', (value, argument, run) => ARITHMETIC['%'](value, argument, run) === 0],
  ...comparing('==', 'eq', 'equalto'),
  ...comparing('!=', 'ne'),
  ...comparing('<', 'lt', 'lessthan'),
  ...comparing('<=', 'le'),
  ...comparing('>', 'gt', 'greaterthan'),
  ...comparing('>=', 'ge'),
  ...comparing('in'),
]);

function comparing(
  operator: ComparisonOperator,
  ...names: readonly string[]
): readonly (readonly [string, ValueTest])[] {
  return [operator, ...names].map((name) => [name, COMPARE[operator]]);
}

function isCollection(value: unknown): boolean {
  return typeof value === 'object' && value !== null && isData(value);
}

/** The test of a name, or undefined. Maps count as sequences, as they do in Jinja2. */
export function valueTest(name: string): ValueTest | undefined {
  return TESTS.get(name) ?? TESTS_WITH_ARGUMENT.get(name);
}

/** True for a test that has an argument. */
export function takesArgument(name: string): boolean {
  return TESTS_WITH_ARGUMENT.has(name);
}

/** All names, for a message. */
export function testNames(): readonly string[] {
  return [...TESTS.keys(), ...TESTS_WITH_ARGUMENT.keys()];
}
