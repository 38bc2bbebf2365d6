import { isData, isList } from '../own-data.ts';
import type { Run } from '../run.ts';
import { ARITHMETIC } from './arithmetic.ts';

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
  ['number', (value) => typeof value === 'number' || typeof value === 'bigint'],
  ['mapping', (value) => isCollection(value) && !isList(value)],
  ['sequence', (value) => typeof value === 'string' || isCollection(value)],
  ['even', (value, _, run) => ARITHMETIC['%'](value, 2, run) === 0],
  ['odd', (value, _, run) => ARITHMETIC['%'](value, 2, run) === 1],
]);

const TESTS_WITH_ARGUMENT: ReadonlyMap<string, ValueTest> = new Map<string, ValueTest>([
  ['divisibleby', (value, argument, run) => ARITHMETIC['%'](value, argument, run) === 0],
]);

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
