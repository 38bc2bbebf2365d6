import { syntaxError, type Place } from '../place.ts';
import { NO_ARGUMENTS, parseArguments, parseListItems, parseMapEntries } from './parse-arguments.ts';
import { takesArgument } from './value-tests.ts';
import type { Arguments, Expression } from './syntax.ts';
import type { TokenReader } from './token-reader.ts';

/** Reads an expression inside brackets. */
export type ParseNested = (reader: TokenReader) => Expression;

/** Reads a value with its signs, members, filters and tests. */
export function parseOperand(reader: TokenReader, nested: ParseNested): Expression {
  return parseApplied(reader, parseSigned(reader, nested), nested);
}

/** Filters do not reach over a sign: `-x|f` is `(-x)|f`. */
function parseSigned(reader: TokenReader, nested: ParseNested): Expression {
  const operator = reader.is('operator', '-') ? '-' : '+';
  if (!reader.is('operator', operator)) return parsePostfix(reader, parsePrimary(reader, nested), nested);
  const place = reader.take();
  reader.enter();
  const of = parseSigned(reader, nested);
  reader.leave();
  return { kind: 'unary', operator, of, place };
}

const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
]);
const RESERVED: ReadonlySet<string> = new Set(['if', 'else', 'and', 'or', 'in', 'is', 'not']);

function parsePrimary(reader: TokenReader, nested: ParseNested): Expression {
  const place = reader.place;
  const { kind, value } = reader.next;
  if (kind === 'string') return { kind: 'constant', value: adjacentStrings(reader), place };
  if (kind === 'number') return { kind: 'constant', value: numberOf(reader.take().value, place), place };
  if (kind === 'name' && !RESERVED.has(value)) {
    reader.take();
    const constant = CONSTANTS.get(value);
    return constant === undefined ? { kind: 'name', name: value, place } : { kind: 'constant', value: constant, place };
  }
  if (kind !== 'operator') throw reader.unexpected('an expression');
  if (reader.skip('operator', '(')) return parseBracketed(reader, nested);
  if (reader.skip('operator', '[')) return { kind: 'list', items: parseListItems(reader, nested, ']'), place };
  if (reader.skip('operator', '{')) return { kind: 'map', entries: parseMapEntries(reader, nested), place };
  throw reader.unexpected('an expression');
}

const FRACTION = /[.eE]/;

function numberOf(text: string, place: Place): number {
  const value = Number(text.replaceAll('_', ''));
  if (Number.isSafeInteger(value) || FRACTION.test(text)) return value;
  throw syntaxError(place, `The number ${text} is too large to be exact`);
}

function adjacentStrings(reader: TokenReader): string {
  let text = reader.take().value;
  while (reader.is('string')) text += reader.take().value;
  return text;
}

/** One expression in brackets is itself, with commas it is a list. */
function parseBracketed(reader: TokenReader, nested: ParseNested): Expression {
  const place = reader.place;
  if (reader.skip('operator', ')')) return { kind: 'list', items: [], place };
  const first = nested(reader);
  if (reader.skip('operator', ')')) return first;
  reader.expect('operator', ',');
  return { kind: 'list', items: [first, ...parseListItems(reader, nested, ')')], place };
}

function parsePostfix(reader: TokenReader, start: Expression, nested: ParseNested): Expression {
  let value = start;
  for (let chain = 1; ; chain += 1) {
    const place = reader.place;
    if (reader.skip('operator', '.')) value = { kind: 'member', of: value, key: memberName(reader), place };
    else if (reader.skip('operator', '[')) value = parseSubscript(reader, value, nested);
    else if (reader.is('operator', '(')) value = parseCall(reader, value, nested);
    else return value;
    reader.checkChain(chain);
  }
}

function memberName(reader: TokenReader): Expression {
  const place = reader.place;
  const { kind, value } = reader.next;
  const isIndex = kind === 'number' && !FRACTION.test(value);
  if (kind !== 'name' && !isIndex) throw reader.unexpected('a name');
  reader.take();
  return { kind: 'constant', value: isIndex ? numberOf(value, place) : value, place };
}

function parseSubscript(reader: TokenReader, of: Expression, nested: ParseNested): Expression {
  const place = reader.place;
  const bounds: (Expression | undefined)[] = [];
  let isSlice = false;
  while (!reader.is('operator', ']') && bounds.length < 3) {
    if (reader.skip('operator', ':')) {
      isSlice = true;
      bounds.push(undefined);
      continue;
    }
    bounds.push(nested(reader));
    if (!reader.skip('operator', ':')) break;
    isSlice = true;
  }
  reader.expect('operator', ']');
  if (isSlice) return { kind: 'slice', of, bounds, place };
  const [key] = bounds;
  if (key === undefined) throw syntaxError(place, 'Expected a key');
  return { kind: 'member', of, key, place };
}

/** Macros, `range`, `super`, `loop.cycle` and `loop.changed` are all that can be called. */
function parseCall(reader: TokenReader, value: Expression, nested: ParseNested): Expression {
  const bracket = reader.take();
  const callee = calleeOf(value);
  if (callee === undefined) {
    throw reader.notSupported('Calling a method or a value (use a filter, such as |items or |upper)', bracket);
  }
  return { kind: 'call', callee, args: parseArguments(reader, nested), place: value.place };
}

function calleeOf(value: Expression): string | undefined {
  if (value.kind === 'name') return value.name;
  if (value.kind !== 'member' || value.of.kind !== 'name' || value.of.name !== 'loop') return undefined;
  if (value.key.kind !== 'constant') return undefined;
  return value.key.value === 'cycle' || value.key.value === 'changed' ? `loop.${value.key.value}` : undefined;
}

function parseApplied(reader: TokenReader, start: Expression, nested: ParseNested): Expression {
  let value = start;
  for (let chain = 1; ; chain += 1) {
    if (reader.skip('operator', '|')) value = parseFilter(reader, value, nested);
    else if (reader.skip('name', 'is')) value = parseTest(reader, value, nested);
    else return value;
    reader.checkChain(chain);
  }
}

function parseFilter(reader: TokenReader, of: Expression, nested: ParseNested): Expression {
  const place = reader.place;
  const name = reader.expect('name').value;
  const args = reader.skip('operator', '(') ? parseArguments(reader, nested) : NO_ARGUMENTS;
  return { kind: 'filter', name, of, args, place };
}

function parseTest(reader: TokenReader, of: Expression, nested: ParseNested): Expression {
  const isNegated = reader.skip('name', 'not');
  const place = reader.place;
  const name = reader.expect('name').value;
  const test: Expression = { kind: 'test', name, of, args: testArguments(reader, name, nested), place };
  return isNegated ? { kind: 'unary', operator: 'not', of: test, place } : test;
}

/** `x is divisibleby(3)` and `x is divisibleby 3` are the same. */
function testArguments(reader: TokenReader, name: string, nested: ParseNested): Arguments {
  if (reader.skip('operator', '(')) return parseArguments(reader, nested);
  if (!takesArgument(name)) return NO_ARGUMENTS;
  return { positional: [parsePostfix(reader, parsePrimary(reader, nested), nested)], named: new Map() };
}
