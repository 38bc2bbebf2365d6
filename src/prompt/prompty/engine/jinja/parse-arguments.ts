import { syntaxError } from '../place.ts';
import type { Arguments, Expression } from './syntax.ts';
import type { TokenReader } from './token-reader.ts';

type Parse = (reader: TokenReader) => Expression;

/** No arguments. */
export const NO_ARGUMENTS: Arguments = { positional: [], named: new Map() };

/** Reads arguments behind their opening bracket, with the closing one. */
export function parseArguments(reader: TokenReader, parse: Parse): Arguments {
  const positional: Expression[] = [];
  const named = new Map<string, Expression>();
  eachUntil(reader, ')', () => {
    if (reader.is('operator', '*') || reader.is('operator', '**')) throw reader.notSupported('Unpacking of arguments');
    const name = nameOfArgument(reader);
    const place = reader.place;
    const value = parse(reader);
    if (name === undefined && named.size > 0) throw syntaxError(place, 'Arguments with a name come last');
    if (name === undefined) positional.push(value);
    else if (named.has(name)) throw syntaxError(place, `The argument ${name} is given twice`);
    else named.set(name, value);
  });
  return { positional, named };
}

/** Reads the items of a list behind its opening bracket, with the closing one. */
export function parseListItems(reader: TokenReader, parse: Parse, close: ']' | ')'): readonly Expression[] {
  const items: Expression[] = [];
  eachUntil(reader, close, () => items.push(parse(reader)));
  return items;
}

/** Reads the entries of a map behind its opening bracket, with the closing one. */
export function parseMapEntries(reader: TokenReader, parse: Parse): readonly (readonly [Expression, Expression])[] {
  const entries: [Expression, Expression][] = [];
  eachUntil(reader, '}', () => {
    const key = parse(reader);
    reader.expect('operator', ':');
    entries.push([key, parse(reader)]);
  });
  return entries;
}

function eachUntil(reader: TokenReader, close: string, read: () => void): void {
  while (!reader.skip('operator', close)) {
    read();
    if (!reader.is('operator', close)) reader.expect('operator', ',');
  }
}

function nameOfArgument(reader: TokenReader): string | undefined {
  const { next } = reader;
  const equals = reader.peek(1);
  if (next.kind !== 'name' || equals.kind !== 'operator' || equals.value !== '=') return undefined;
  reader.take();
  reader.take();
  return next.value;
}
