import { type Constant, faultOfLength, literalRange, NotLiteral } from './constants.ts';
import { unescapeJs } from './js-escapes.ts';
import { JsFault, skipJsSpace, skipJsText, skipTemplateText, wordAt } from './js-text.ts';
import { skipTypeAssertions } from './js-types.ts';
import { checkDepth, noLiteral, readEntries, type SourceCursor, take, unexpected } from './source-cursor.ts';

/**
 * Reads the value that starts at an offset of a module, if it is made of literals only: text (joined by `+` too),
 * templates without expressions, numbers, booleans, null, lists and objects of them, with TypeScript's `as` and
 * `satisfies` passed over. Anything that would have to run is refused.
 */
export function readJsLiteral(source: string, offset: number, lineAt: (offset: number) => number): Constant {
  const cursor: SourceCursor = { text: literalRange(source, offset), at: offset };
  const line = lineAt(offset);
  try {
    skipJsSpace(cursor);
    const value = readValue(cursor, 0);
    const tooLong = faultOfLength(cursor, source);
    if (tooLong !== undefined) throw new NotLiteral(tooLong);
    checkEnd({ text: source, at: cursor.at });
    return { ok: true, value, line };
  } catch (error) {
    if (!(error instanceof NotLiteral) && !(error instanceof JsFault)) throw error;
    // The whole file has been gone through: a text without an end is one that was cut.
    if (error instanceof JsFault && cursor.text.length < source.length) cursor.at = cursor.text.length;
    const here = lineAt(cursor.at);
    const reason = faultOfLength(cursor, source) ?? error.message;
    return { ok: false, reason: `${reason}${here > line ? ` (line ${here})` : ''}`, line };
  }
}

function readValue(cursor: SourceCursor, depth: number): unknown {
  checkDepth(depth);
  const value = readPlainValue(cursor, depth);
  skipTypeAssertions(cursor);
  return value;
}

function readPlainValue(cursor: SourceCursor, depth: number): unknown {
  const char = cursor.text[cursor.at] ?? '';
  if (char === '"' || char === "'" || char === '`') return readTexts(cursor);
  if (char === '[') return readList(cursor, depth);
  if (char === '{') return readObject(cursor, depth);
  if (char === '(') return readParenthesized(cursor, depth);
  if (char === '-' || char === '+') return readSigned(cursor);
  return readWord(cursor);
}

/** One text, or several with `+` between them. */
function readTexts(cursor: SourceCursor): string {
  const parts: string[] = [];
  for (;;) {
    parts.push(readText(cursor));
    const end = cursor.at;
    skipJsSpace(cursor);
    if (!take(cursor, '+')) {
      cursor.at = end;
      return parts.join('');
    }
    skipJsSpace(cursor);
  }
}

function readText(cursor: SourceCursor): string {
  const char = cursor.text[cursor.at];
  if (char === '"' || char === "'") return unescapeJs(skipJsText(cursor));
  if (char !== '`') throw unexpected(cursor);
  const start = ++cursor.at;
  if (skipTemplateText(cursor) === 'expression') throw new NotLiteral('it has a template with expressions');
  return unescapeJs(cursor.text.slice(start, cursor.at - 1).replaceAll('\r\n', '\n'));
}

function readList(cursor: SourceCursor, depth: number): unknown[] {
  const values: unknown[] = [];
  const readEntry = (): unknown => values.push(readValue(cursor, depth + 1));
  readEntries(cursor, { closing: ']', skipSpace: () => skipJsSpace(cursor), readEntry });
  return values;
}

function readObject(cursor: SourceCursor, depth: number): Record<string, unknown> {
  const entries: [string, unknown][] = [];
  const skipSpace = (): boolean => skipJsSpace(cursor);
  const readEntry = (): void => {
    const key = readKey(cursor);
    skipSpace();
    if (!take(cursor, ':')) throw new NotLiteral(`it has "${key}" without a value, or as a method`);
    skipSpace();
    entries.push([key, readValue(cursor, depth + 1)]);
  };
  readEntries(cursor, { closing: '}', skipSpace, readEntry });
  return Object.fromEntries(entries);
}

function readKey(cursor: SourceCursor): string {
  const char = cursor.text[cursor.at];
  const key = char === '"' || char === "'" ? unescapeJs(skipJsText(cursor)) : readPlainKey(cursor);
  if (key === '__proto__') throw new NotLiteral('it has a key "__proto__"');
  return key;
}

function readPlainKey(cursor: SourceCursor): string {
  const word = wordAt(cursor);
  if (word === '' || word.includes('\\')) throw unexpected(cursor);
  cursor.at += word.length;
  return /^\d/.test(word) ? String(toNumber(word)) : word;
}

function readParenthesized(cursor: SourceCursor, depth: number): unknown {
  cursor.at++;
  skipJsSpace(cursor);
  const value = readValue(cursor, depth + 1);
  skipJsSpace(cursor);
  if (!take(cursor, ')')) throw unexpected(cursor);
  return value;
}

function readSigned(cursor: SourceCursor): number {
  const sign = cursor.text[cursor.at] === '-' ? -1 : 1;
  cursor.at++;
  skipJsSpace(cursor);
  const value = readWord(cursor);
  if (typeof value !== 'number') throw new NotLiteral('it has a sign before what is no number');
  return sign * value;
}

const NAMES: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['null', null],
  ['true', true],
  ['false', false],
]);
const NUMBER =
  /(?:0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?)(?![\w$.])/y;

function readWord(cursor: SourceCursor): unknown {
  NUMBER.lastIndex = cursor.at;
  const number = NUMBER.exec(cursor.text)?.[0];
  if (number !== undefined) {
    cursor.at += number.length;
    return toNumber(number);
  }
  const word = wordAt(cursor);
  if (word === '') throw unexpected(cursor);
  if (!NAMES.has(word)) throw noLiteral(word);
  cursor.at += word.length;
  return NAMES.get(word);
}

function toNumber(digits: string): number {
  const value = Number(digits.replaceAll('_', ''));
  if (!Number.isFinite(value))
    throw new NotLiteral(`it has ${JSON.stringify(digits.slice(0, 40))}, which is no number`);
  return value;
}

/** What may follow a value that is a whole expression: the next declaration, a semicolon, or another statement. */
function checkEnd(cursor: SourceCursor): void {
  const newline = skipJsSpace(cursor);
  const char = cursor.text[cursor.at];
  if (char === undefined || char === ';' || char === ',') return;
  const goesOn = '+-*/%&|^<>=?.([`!'.includes(char) || ['in', 'instanceof'].includes(wordAt(cursor));
  if (!newline || goesOn) throw unexpected(cursor);
}
