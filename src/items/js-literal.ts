import type { ArrayExpression, Expression, Literal, ObjectExpression, TemplateLiteral, UnaryExpression } from 'acorn';
import { type Constant, MAX_LITERAL_DEPTH, NotLiteral } from './constants.ts';

/**
 * The value of an expression made of literals only: text, numbers, booleans, null, lists and objects of them, templates
 * without expressions. Anything that would have to run is refused with its line.
 */
export function readJsLiteral(expression: Expression, line: number): Constant {
  try {
    return { ok: true, value: toValue(expression, 0), line };
  } catch (error) {
    if (error instanceof NotLiteral) return { ok: false, reason: error.message, line };
    throw error;
  }
}

function toValue(node: Expression, depth: number): unknown {
  if (depth > MAX_LITERAL_DEPTH) throw new NotLiteral(`it is nested deeper than ${MAX_LITERAL_DEPTH} levels`);
  if (node.type === 'Literal') return literalValue(node);
  if (node.type === 'TemplateLiteral') return templateValue(node);
  if (node.type === 'UnaryExpression') return signedNumber(node);
  if (node.type === 'ArrayExpression') return listValue(node, depth);
  if (node.type === 'ObjectExpression') return objectValue(node, depth);
  throw notLiteral(node, `a ${node.type}`);
}

function literalValue(node: Literal): unknown {
  if (node.regex || typeof node.value === 'bigint') throw notLiteral(node, 'a regular expression or big integer');
  return node.value;
}

function templateValue(node: TemplateLiteral): string {
  const [only] = node.quasis;
  if (node.expressions.length > 0 || typeof only?.value.cooked !== 'string') {
    throw notLiteral(node, 'a template with expressions');
  }
  return only.value.cooked;
}

function signedNumber(node: UnaryExpression): number {
  const { argument, operator } = node;
  const value = argument.type === 'Literal' ? argument.value : undefined;
  if (typeof value !== 'number' || (operator !== '-' && operator !== '+')) throw notLiteral(node, `"${operator}"`);
  return operator === '-' ? -value : value;
}

function listValue(node: ArrayExpression, depth: number): unknown[] {
  return node.elements.map((element) => {
    if (element === null || element.type === 'SpreadElement') throw notLiteral(node, 'a list with holes or "..."');
    return toValue(element, depth + 1);
  });
}

function objectValue(node: ObjectExpression, depth: number): Record<string, unknown> {
  const entries = node.properties.map((property): [string, unknown] => {
    if (property.type !== 'Property' || property.kind !== 'init' || property.computed || property.method) {
      throw notLiteral(property, 'an object with "...", a method or a computed key');
    }
    const { key } = property;
    const name = key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : undefined;
    if (name === undefined || name === '__proto__') throw notLiteral(property, 'a key that is no plain name');
    return [name, toValue(property.value, depth + 1)];
  });
  return Object.fromEntries(entries);
}

type Located = { readonly loc?: { readonly start: { readonly line: number } } | null | undefined };

function notLiteral(node: Located, what: string): NotLiteral {
  const line = node.loc?.start.line;
  return new NotLiteral(`it has ${what}${line === undefined ? '' : ` on line ${line}`}; only literals can be read`);
}
