import type { Expression, BinaryOperator, Comparison, ComparisonOperator } from './syntax.ts';
import { parseOperand } from './parse-operand.ts';
import type { TokenReader } from './token-reader.ts';

/** Reads one expression, `a if b else c` included. */
export function parseExpression(reader: TokenReader): Expression {
  return reader.deeper(() => parseCondition(reader));
}

/** Reads an expression without `if … else`, as the list of a `for` is. */
export function parseWithoutCondition(reader: TokenReader): Expression {
  return reader.deeper(() => parseOr(reader));
}

/** Reads expressions with commas between them; one alone is itself, several are a list. */
export function parseTuple(reader: TokenReader, parse: typeof parseExpression = parseExpression): Expression {
  const place = reader.place();
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
    const place = reader.place(reader.take());
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
  return chain(reader, parseAnd, (left) => {
    if (!reader.is('name', 'or')) return undefined;
    const place = reader.place(reader.take());
    return { kind: 'logic', operator: 'or', left, right: parseAnd(reader), place };
  });
}

function parseAnd(reader: TokenReader): Expression {
  return chain(reader, parseNot, (left) => {
    if (!reader.is('name', 'and')) return undefined;
    const place = reader.place(reader.take());
    return { kind: 'logic', operator: 'and', left, right: parseNot(reader), place };
  });
}

function parseNot(reader: TokenReader): Expression {
  if (!reader.is('name', 'not')) return parseComparison(reader);
  const place = reader.place(reader.take());
  return { kind: 'unary', operator: 'not', of: reader.deeper(() => parseNot(reader)), place };
}

function parseComparison(reader: TokenReader): Expression {
  const place = reader.place();
  const first = parseSum(reader);
  const rest: Comparison[] = [];
  for (let operator = comparisonAt(reader); operator !== undefined; operator = comparisonAt(reader)) {
    rest.push({ operator, right: parseSum(reader) });
  }
  return rest.length === 0 ? first : { kind: 'comparison', first, rest, place };
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

function parseSum(reader: TokenReader): Expression {
  return binaryChain(reader, ['+', '-'], parseConcat);
}

function parseConcat(reader: TokenReader): Expression {
  const place = reader.place();
  const first = parseProduct(reader);
  const parts = [first];
  while (reader.skip('operator', '~')) parts.push(parseProduct(reader));
  return parts.length === 1 ? first : { kind: 'concat', parts, place };
}

function parseProduct(reader: TokenReader): Expression {
  return binaryChain(reader, ['*', '/', '//', '%'], parsePower);
}

function parsePower(reader: TokenReader): Expression {
  return binaryChain(reader, ['**'], (operand) => parseOperand(operand, parseExpression));
}

type Parse = (reader: TokenReader) => Expression;

function binaryChain(reader: TokenReader, operators: readonly BinaryOperator[], operand: Parse): Expression {
  return chain(reader, operand, (left) => {
    const operator = reader.is('operator') ? operators.find((one) => one === reader.next.value) : undefined;
    if (operator === undefined) return undefined;
    const place = reader.place(reader.take());
    return { kind: 'binary', operator, left, right: operand(reader), place };
  });
}

/** Reads operands as long as `next` finds an operator behind what was read. */
function chain(reader: TokenReader, operand: Parse, next: (left: Expression) => Expression | undefined): Expression {
  let value = operand(reader);
  for (let length = 1; ; length += 1) {
    const longer = next(value);
    if (longer === undefined) return value;
    reader.checkChain(length);
    value = longer;
  }
}
