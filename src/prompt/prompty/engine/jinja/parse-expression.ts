import type { Expression, BinaryOperator, Comparison, ComparisonOperator } from './syntax.ts';
import { parseOperand } from './parse-operand.ts';
import type { TokenReader } from './token-reader.ts';

/** Reads one expression, `a if b else c` included. */
export function parseExpression(reader: TokenReader): Expression {
  reader.enter();
  const value = parseCondition(reader);
  reader.leave();
  return value;
}

/** Reads an expression without `if … else`, as the list of a `for` is. */
export function parseWithoutCondition(reader: TokenReader): Expression {
  reader.enter();
  const value = parseOr(reader);
  reader.leave();
  return value;
}

/** Reads expressions with commas between them; one alone is itself, several are a list. */
export function parseTuple(reader: TokenReader, parse: typeof parseExpression = parseExpression): Expression {
  const place = reader.place;
  const first = parse(reader);
  if (!reader.is('operator', ',')) return first;
  const items = [first];
  while (reader.skip('operator', ',')) {
    if (reader.is('end')) break;
    items.push(parse(reader));
  }
  return { kind: 'list', items, place };
}

function parseCondition(reader: TokenReader): Expression {
  let value = parseOr(reader);
  for (let chain = 1; reader.is('name', 'if'); chain += 1) {
    reader.checkChain(chain);
    const place = reader.take();
    const test = parseOr(reader);
    if (reader.skip('name', 'else')) {
      const otherwise = parseExpression(reader);
      value = { kind: 'condition', test, value, otherwise, place };
    } else {
      value = { kind: 'condition', test, value, place };
    }
  }
  return value;
}

function parseOr(reader: TokenReader): Expression {
  let left = parseAnd(reader);
  for (let chain = 1; reader.is('name', 'or'); chain += 1) {
    const place = reader.take();
    left = { kind: 'logic', operator: 'or', left, right: parseAnd(reader), place };
    reader.checkChain(chain);
  }
  return left;
}

function parseAnd(reader: TokenReader): Expression {
  let left = parseNot(reader);
  for (let chain = 1; reader.is('name', 'and'); chain += 1) {
    const place = reader.take();
    left = { kind: 'logic', operator: 'and', left, right: parseNot(reader), place };
    reader.checkChain(chain);
  }
  return left;
}

function parseNot(reader: TokenReader): Expression {
  if (!reader.is('name', 'not')) return parseComparison(reader);
  const place = reader.take();
  reader.enter();
  const of = parseNot(reader);
  reader.leave();
  return { kind: 'unary', operator: 'not', of, place };
}

function parseComparison(reader: TokenReader): Expression {
  const { place } = reader;
  const first = parseSum(reader);
  let operator = comparisonAt(reader);
  if (operator === undefined) return first;
  const rest: Comparison[] = [];
  for (; operator !== undefined; operator = comparisonAt(reader)) rest.push({ operator, right: parseSum(reader) });
  return { kind: 'comparison', first, rest, place };
}

const COMPARISONS: ReadonlyMap<string, ComparisonOperator> = new Map(
  (['==', '!=', '<', '<=', '>', '>='] as const).map((operator) => [operator, operator]),
);

/** Takes the operator that stands here, if one does. */
function comparisonAt(reader: TokenReader): ComparisonOperator | undefined {
  if (reader.skip('name', 'in')) return 'in';
  if (reader.is('name', 'not') && reader.peek(1).kind === 'name' && reader.peek(1).value === 'in') {
    reader.take();
    reader.take();
    return 'not in';
  }
  const operator = reader.is('operator') ? COMPARISONS.get(reader.next.value) : undefined;
  if (operator !== undefined) reader.take();
  return operator;
}

const SUMS: ReadonlyMap<string, BinaryOperator> = operators(['+', '-']);
const PRODUCTS: ReadonlyMap<string, BinaryOperator> = operators(['*', '/', '//', '%']);
const POWERS: ReadonlyMap<string, BinaryOperator> = operators(['**']);

function operators(names: readonly BinaryOperator[]): ReadonlyMap<string, BinaryOperator> {
  return new Map(names.map((name) => [name, name]));
}

function parseSum(reader: TokenReader): Expression {
  return parseChain(reader, SUMS, parseConcat);
}

function parseConcat(reader: TokenReader): Expression {
  const { place } = reader;
  const first = parseProduct(reader);
  if (!reader.is('operator', '~')) return first;
  const parts = [first];
  while (reader.skip('operator', '~')) parts.push(parseProduct(reader));
  return { kind: 'concat', parts, place };
}

function parseProduct(reader: TokenReader): Expression {
  return parseChain(reader, PRODUCTS, parsePower);
}

function parsePower(reader: TokenReader): Expression {
  return parseChain(reader, POWERS, parseSigned);
}

function parseSigned(reader: TokenReader): Expression {
  return parseOperand(reader, parseExpression);
}

type Parse = (reader: TokenReader) => Expression;

/** Reads operands as long as there is one of these operators between them. */
function parseChain(reader: TokenReader, known: ReadonlyMap<string, BinaryOperator>, parse: Parse): Expression {
  let left = parse(reader);
  for (let chain = 1; reader.is('operator'); chain += 1) {
    const operator = known.get(reader.next.value);
    if (operator === undefined) break;
    const place = reader.take();
    left = { kind: 'binary', operator, left, right: parse(reader), place };
    reader.checkChain(chain);
  }
  return left;
}
