import { NotLiteral } from './constants.ts';
import { lineEnd } from './line-end.ts';
import { pythonTextPrefix, readPythonText } from './python-text.ts';
import { checkDepth, noLiteral, readEntries, type SourceCursor, take, unexpected } from './source-cursor.ts';

/**
 * Reads one Python value made of literals: `None True False`, numbers, text (neighbouring pieces joined), lists,
 * tuples, dicts with text keys, with comments and line breaks inside brackets. The cursor ends after it.
 *
 * @throws NotLiteral for anything that would have to run
 */
export function readPythonLiteral(cursor: SourceCursor, depth = 0): unknown {
  checkDepth(depth);
  const char = cursor.text[cursor.at];
  const prefix = pythonTextPrefix(cursor);
  if (prefix !== undefined) return readJoinedText(cursor, prefix, depth > 0);
  if (char === '[') return readItems(cursor, ']', depth).values;
  if (char === '(') return readParenthesized(cursor, depth);
  if (char === '{') return readDict(cursor, depth);
  return readWord(cursor);
}

/** Moves past blanks, and inside brackets past line breaks and comments too. */
export function skipPythonSpace(cursor: SourceCursor, inBrackets: boolean): void {
  const { text } = cursor;
  for (;;) {
    const char = text[cursor.at];
    if (char === ' ' || char === '\t' || char === '\f') cursor.at++;
    else if (char === '\\' && /^\\\r?\n/.test(text.slice(cursor.at, cursor.at + 3))) {
      cursor.at = text.indexOf('\n', cursor.at) + 1;
    } else if (inBrackets && (char === '\n' || char === '\r')) cursor.at++;
    else if (inBrackets && char === '#') {
      cursor.at = lineEnd(text, cursor.at);
    } else return;
  }
}

function readJoinedText(cursor: SourceCursor, first: string, inBrackets: boolean): string {
  const parts: string[] = [];
  for (let prefix: string | undefined = first; prefix !== undefined; prefix = pythonTextPrefix(cursor)) {
    parts.push(readPythonText(cursor, prefix));
    skipPythonSpace(cursor, inBrackets);
  }
  return parts.join('');
}

function readItems(
  cursor: SourceCursor,
  closing: ']' | ')',
  depth: number,
): { readonly values: unknown[]; readonly comma: boolean } {
  const values: unknown[] = [];
  const readEntry = (): unknown => values.push(readPythonLiteral(cursor, depth + 1));
  const comma = readEntries(cursor, { closing, skipSpace: () => skipPythonSpace(cursor, true), readEntry });
  return { values, comma };
}

/** `(x)` is x, `(x,)` and `(x, y)` are tuples, read as lists. */
function readParenthesized(cursor: SourceCursor, depth: number): unknown {
  const { values, comma } = readItems(cursor, ')', depth);
  return values.length === 1 && !comma ? values[0] : values;
}

function readDict(cursor: SourceCursor, depth: number): Record<string, unknown> {
  const entries: [string, unknown][] = [];
  const skipSpace = (): void => skipPythonSpace(cursor, true);
  const readEntry = (): void => {
    const key = readPythonLiteral(cursor, depth + 1);
    if (typeof key !== 'string' || key === '__proto__') throw new NotLiteral('it has a dict key that is no plain text');
    skipSpace();
    if (!take(cursor, ':')) throw unexpected(cursor);
    skipSpace();
    entries.push([key, readPythonLiteral(cursor, depth + 1)]);
  };
  readEntries(cursor, { closing: '}', skipSpace, readEntry });
  return Object.fromEntries(entries);
}

const WORD = /[+-]?[\w.]+(?:(?<=[\d.][eE])[+-]\d+)?/y;
const NAMES: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['None', null],
  ['True', true],
  ['False', false],
]);

function readWord(cursor: SourceCursor): unknown {
  WORD.lastIndex = cursor.at;
  const word = WORD.exec(cursor.text)?.[0];
  if (word === undefined || word.length > 400) throw unexpected(cursor);
  const value = NAMES.has(word) ? NAMES.get(word) : readPythonNumber(word);
  if (value === undefined) throw noLiteral(word);
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
