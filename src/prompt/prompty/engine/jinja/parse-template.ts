import { syntaxError, type Place, type Source } from '../place.ts';
import { parseArguments } from './parse-arguments.ts';
import { parseExpression, parseTuple, parseWithoutCondition } from './parse-expression.ts';
import type { Body, Branch, Expression, Parameter, Statement } from './syntax.ts';
import { TokenReader } from './token-reader.ts';
import { tokenize } from './tokens.ts';

/**
 * Reads a Jinja2 template.
 *
 * @throws ValueError `template_syntax`, `template_too_large`, `template_nesting_exceeded`
 */
export function parseTemplate(source: Source): Body {
  const reader = new TokenReader(source, tokenize(source));
  const body = parseBody(reader, []);
  if (!reader.is('eof')) throw reader.unexpected('the end of the template');
  return body;
}

/** Reads up to a block tag with one of these names, which is left to be read, or to the end of the template. */
function parseBody(reader: TokenReader, ends: readonly string[]): Body {
  reader.enter();
  const start = reader.position;
  const statements: Statement[] = [];
  while (!reader.is('eof') && !isEnd(reader, ends)) statements.push(parseStatement(reader));
  reader.leave();
  return { statements, weight: reader.position - start };
}

function isEnd(reader: TokenReader, ends: readonly string[]): boolean {
  return reader.is('begin', '{%') && reader.peek(1).kind === 'name' && ends.includes(reader.peek(1).value);
}

function parseStatement(reader: TokenReader): Statement {
  const place = reader.place;
  if (reader.is('text')) return { kind: 'text', text: reader.take().value, place };
  if (reader.take().value === '{{') {
    const value = parseTuple(reader);
    reader.expect('end');
    return { kind: 'output', value, place };
  }
  const keyword = reader.expect('name');
  const parse = STATEMENTS.get(keyword.value);
  if (parse === undefined) throw unknownTag(keyword.value, place);
  return parse(reader, place);
}

function unknownTag(name: string, place: Place): Error {
  if (/^(?:end\w*|else|elif)$/.test(name))
    return syntaxError(place, `There is nothing here that ${name} could belong to`);
  return syntaxError(place, `The tag ${JSON.stringify(name)} is not supported`);
}

type ParseStatement = (reader: TokenReader, place: Place) => Statement;

const STATEMENTS: ReadonlyMap<string, ParseStatement> = new Map([
  ['if', parseIf],
  ['for', parseFor],
  ['set', parseSet],
  ['macro', parseMacro],
  ['block', parseBlock],
  ['include', parseInclude],
  ['extends', parseExtends],
]);

function parseIf(reader: TokenReader, place: Place): Statement {
  const branches: Branch[] = [];
  do {
    const test = parseTuple(reader);
    reader.expect('end');
    branches.push({ test, body: parseBody(reader, ['elif', 'else', 'endif']) });
  } while (isTag(reader, 'elif'));
  const otherwise = parseElse(reader, 'endif');
  closeTag(reader, 'endif', place);
  return { kind: 'if', branches, place, ...(otherwise && { otherwise }) };
}

/** True if this tag comes next; it is taken then, up to its name. */
function isTag(reader: TokenReader, name: string): boolean {
  if (!isEnd(reader, [name])) return false;
  reader.take();
  reader.take();
  return true;
}

function parseElse(reader: TokenReader, end: string): Body | undefined {
  if (!isTag(reader, 'else')) return undefined;
  reader.expect('end');
  return parseBody(reader, [end]);
}

function closeTag(reader: TokenReader, name: string, opened: Place): void {
  if (reader.is('eof')) throw syntaxError(opened, `The block is not closed by ${name}`);
  reader.expect('begin', '{%');
  reader.expect('name', name);
  const mayBeNamed = name === 'endmacro' || name === 'endblock';
  if (mayBeNamed && reader.is('name')) reader.take();
  reader.expect('end');
}

function parseFor(reader: TokenReader, place: Place): Statement {
  const targets = parseTargets(reader, ['in']);
  reader.expect('name', 'in');
  const list = parseTuple(reader, parseWithoutCondition);
  const start = reader.position;
  const condition = reader.skip('name', 'if') ? parseExpression(reader) : undefined;
  if (reader.is('name', 'recursive')) throw reader.notSupported('A recursive loop');
  const weight = reader.position - start + 1;
  reader.expect('end');
  const body = parseBody(reader, ['else', 'endfor']);
  const otherwise = parseElse(reader, 'endfor');
  closeTag(reader, 'endfor', place);
  const loop = { targets, list, body, weight };
  return { kind: 'for', ...loop, place, ...(condition && { condition }), ...(otherwise && { otherwise }) };
}

/** Names with commas between them, in brackets or not. */
function parseTargets(reader: TokenReader, ends: readonly string[]): readonly string[] {
  const isBracketed = reader.skip('operator', '(');
  const targets: string[] = [];
  do {
    if (targets.length > 0 && (reader.is('operator', ')') || ends.includes(reader.next.value))) break;
    targets.push(parseTarget(reader));
  } while (reader.skip('operator', ','));
  if (isBracketed) reader.expect('operator', ')');
  return targets;
}

const NO_TARGETS: ReadonlySet<string> = new Set([
  'loop',
  'super',
  'range',
  'true',
  'false',
  'none',
  'True',
  'False',
  'None',
]);

function parseTarget(reader: TokenReader): string {
  const name = reader.expect('name');
  if (NO_TARGETS.has(name.value)) throw syntaxError(name, `${name.value} can't be assigned to`);
  if (reader.is('operator', '.')) throw reader.notSupported('Assigning to a member');
  return name.value;
}

function parseSet(reader: TokenReader, place: Place): Statement {
  const targets = parseTargets(reader, ['=']);
  if (reader.skip('operator', '=')) {
    const value = parseTuple(reader);
    reader.expect('end');
    return { kind: 'set', targets, value, place };
  }
  if (reader.is('operator', '|')) throw reader.notSupported('A filter on a block of set');
  reader.expect('end');
  const [target = '', ...more] = targets;
  if (more.length > 0) throw syntaxError(place, 'A block of set has one name');
  const body = parseBody(reader, ['endset']);
  closeTag(reader, 'endset', place);
  return { kind: 'capture', target, body, place };
}

function parseMacro(reader: TokenReader, place: Place): Statement {
  const start = reader.position;
  const name = parseTarget(reader);
  reader.expect('operator', '(');
  const parameters = parseParameters(reader);
  reader.expect('end');
  const weight = reader.position - start;
  const body = parseBody(reader, ['endmacro']);
  closeTag(reader, 'endmacro', place);
  return { kind: 'macro', name, parameters, weight, body, place };
}

/** They look like arguments: `a, b=1`. */
function parseParameters(reader: TokenReader): readonly Parameter[] {
  const { positional, named } = parseArguments(reader, parseExpression);
  const names = positional.map((parameter) => {
    if (parameter.kind === 'name') return { name: parameter.name };
    throw syntaxError(parameter.place, 'Expected the name of a parameter');
  });
  const parameters = [...names, ...[...named].map(([name, fallback]) => ({ name, fallback }))];
  if (new Set(parameters.map(({ name }) => name)).size === parameters.length) return parameters;
  throw syntaxError(reader.place, 'A parameter is named twice');
}

function parseBlock(reader: TokenReader, place: Place): Statement {
  const { value: name } = reader.expect('name');
  const isScoped = reader.skip('name', 'scoped');
  if (reader.is('name', 'required')) throw reader.notSupported('A required block');
  reader.expect('end');
  const body = parseBody(reader, ['endblock']);
  closeTag(reader, 'endblock', place);
  return { kind: 'block', name, isScoped, body, place };
}

function parseInclude(reader: TokenReader, place: Place): Statement {
  const names = literalNames(parseExpression(reader));
  const ignoreMissing = reader.skip('name', 'ignore');
  if (ignoreMissing) reader.expect('name', 'missing');
  if (reader.is('name', 'without')) throw reader.notSupported('Including without context');
  if (reader.skip('name', 'with')) reader.expect('name', 'context');
  reader.expect('end');
  return { kind: 'include', names, ignoreMissing, place };
}

function parseExtends(reader: TokenReader, place: Place): Statement {
  const [name = '', ...more] = literalNames(parseExpression(reader));
  if (more.length > 0) throw syntaxError(place, 'A template extends one other');
  reader.expect('end');
  return { kind: 'extends', name, place };
}

/** What is included is known before anything is rendered: inputs choose no templates. */
function literalNames(value: Expression): readonly string[] {
  if (value.kind === 'constant' && typeof value.value === 'string') return [value.value];
  if (value.kind === 'list') return value.items.flatMap(literalNames);
  throw syntaxError(value.place, 'A template is named by a string, anything else is not supported');
}
