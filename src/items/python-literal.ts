import { MAX_LITERAL_DEPTH, NotLiteral } from './constants.ts';
import { type PythonCursor, pythonTextPrefix, readPythonText } from './python-text.ts';

/**
 * Reads one Python value made of literals: `None True False`, numbers, text (neighbouring pieces joined), lists,
 * tuples, dicts with text keys, with comments and line breaks inside brackets. The cursor ends after it.
 *
 * @throws NotLiteral for anything that would have to run
 */
export function readPythonLiteral(cursor: PythonCursor, depth = 0): unknown {
  if (depth > MAX_LITERAL_DEPTH) throw new NotLiteral(`it is nested deeper than ${MAX_LITERAL_DEPTH} levels`);
  const char = cursor.text[cursor.at];
  const prefix = pythonTextPrefix(cursor);
  if (prefix !== undefined) return readJoinedText(cursor, prefix, depth > 0);
  if (char === '[') return readItems(cursor, ']', depth).values;
  if (char === '(') return readParenthesized(cursor, depth);
  if (char === '{') return readDict(cursor, depth);
  return readWord(cursor);
}

/** Moves past blanks, and inside brackets past line breaks and comments too. */
export function skipPythonSpace(cursor: PythonCursor, inBrackets: boolean): void {
  const { text } = cursor;
  for (;;) {
    const char = text[cursor.at];
    if (char === ' ' || char === '\t' || char === '\f') cursor.at++;
    else if (char === '\\' && /^\\\r?\n/.test(text.slice(cursor.at, cursor.at + 3))) {
      cursor.at = text.indexOf('\n', cursor.at) + 1;
    } else if (inBrackets && (char === '\n' || char === '\r')) cursor.at++;
    else if (inBrackets && char === '#') {
      const end = text.indexOf('\n', cursor.at);
      cursor.at = end === -1 ? text.length : end;
    } else return;
  }
}

function readJoinedText(cursor: PythonCursor, first: string, inBrackets: boolean): string {
  const parts: string[] = [];
  for (let prefix: string | undefined = first; prefix !== undefined; prefix = pythonTextPrefix(cursor)) {
    parts.push(readPythonText(cursor, prefix));
    skipPythonSpace(cursor, inBrackets);
  }
  return parts.join('');
}

function readItems(
  cursor: PythonCursor,
  closing: ']' | ')',
  depth: number,
): { readonly values: unknown[]; readonly comma: boolean } {
  const values: unknown[] = [];
  let comma = false;
  cursor.at++;
  for (;;) {
    skipPythonSpace(cursor, true);
    if (take(cursor, closing)) return { values, comma };
    if (values.length > 0 && !comma) throw unexpected(cursor);
    values.push(readPythonLiteral(cursor, depth + 1));
    skipPythonSpace(cursor, true);
    comma = take(cursor, ',');
  }
}

/** `(x)` is x, `(x,)` and `(x, y)` are tuples, read as lists. */
function readParenthesized(cursor: PythonCursor, depth: number): unknown {
  const { values, comma } = readItems(cursor, ')', depth);
  return values.length === 1 && !comma ? values[0] : values;
}

function readDict(cursor: PythonCursor, depth: number): Record<string, unknown> {
  const entries: [string, unknown][] = [];
  let comma = true;
  cursor.at++;
  for (;;) {
    skipPythonSpace(cursor, true);
    if (take(cursor, '}')) return Object.fromEntries(entries);
    if (!comma) throw unexpected(cursor);
    const key = readPythonLiteral(cursor, depth + 1);
    if (typeof key !== 'string' || key === '__proto__') throw new NotLiteral('it has a dict key that is no plain text');
    skipPythonSpace(cursor, true);
    if (!take(cursor, ':')) throw unexpected(cursor);
    skipPythonSpace(cursor, true);
    entries.push([key, readPythonLiteral(cursor, depth + 1)]);
    skipPythonSpace(cursor, true);
    comma = take(cursor, ',');
  }
}

const WORD = /[+-]?[\w.]+(?:(?<=[\d.][eE])[+-]\d+)?/y;
const NAMES: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['None', null],
  ['True', true],
  ['False', false],
]);

function readWord(cursor: PythonCursor): unknown {
  WORD.lastIndex = cursor.at;
  const word = WORD.exec(cursor.text)?.[0];
  if (word === undefined || word.length > 400) throw unexpected(cursor);
  const value = NAMES.has(word) ? NAMES.get(word) : readPythonNumber(word);
  if (value === undefined)
    throw new NotLiteral(`it has ${JSON.stringify(word.slice(0, 40))}; only literals can be read`);
  cursor.at += word.length;
  return value;
}

/** Decimal, hexadecimal, octal and binary numbers with `_` between digits. */
function readPythonNumber(word: string): number | undefined {
  if (/^\d{1,15}$/.test(word)) return Number(word);
  const sign = word.startsWith('-') ? -1 : 1;
  const digits = word.replace(/^[+-]/, '').replaceAll(/(?<=[\da-fA-F])_(?=[\da-fA-F])/g, '');
  const decimal = /^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(digits);
  const based = /^0(?:[xX][\da-fA-F]+|[oO][0-7]+|[bB][01]+)$/.test(digits);
  if (!decimal && !based) return undefined;
  const value = Number(digits.replace(/\.(?=$|[eE])/, ''));
  return Number.isFinite(value) ? sign * value : undefined;
}

function take(cursor: PythonCursor, char: string): boolean {
  if (cursor.text[cursor.at] !== char) return false;
  cursor.at++;
  return true;
}

function unexpected({ text, at }: PythonCursor): NotLiteral {
  const found = at < text.length ? JSON.stringify(text[at]) : 'the end of the file';
  return new NotLiteral(`it has ${found} where a literal, "," or a closing bracket is expected`);
}
