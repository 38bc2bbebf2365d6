import { type Constant, faultOfLength, literalRange, MAX_LITERAL_DEPTH, NotLiteral } from './constants.ts';
import { unescapeJs } from './js-escapes.ts';
import { type JsCursor, JsFault, skipJsSpace, skipJsText, skipTemplateText, wordAt } from './js-text.ts';
import { skipTypeAssertions } from './js-types.ts';

/**
 * Reads the value that starts at an offset of a module, if it is made of literals only: text (joined by `+` too),
 * templates without expressions, numbers, booleans, null, lists and objects of them, with TypeScript's `as` and
 * `satisfies` passed over. Anything that would have to run is refused.
 */
export function readJsLiteral(source: string, offset: number, lineAt: (offset: number) => number): Constant {
  const cursor: JsCursor = { text: literalRange(source, offset), at: offset };
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

function readValue(cursor: JsCursor, depth: number): unknown {
  if (depth > MAX_LITERAL_DEPTH) throw new NotLiteral(`it is nested deeper than ${MAX_LITERAL_DEPTH} levels`);
  const value = readPlainValue(cursor, depth);
  skipTypeAssertions(cursor);
  return value;
}

function readPlainValue(cursor: JsCursor, depth: number): unknown {
  const char = cursor.text[cursor.at] ?? '';
  if (char === '"' || char === "'" || char === '`') return readTexts(cursor);
  if (char === '[') return readList(cursor, depth);
  if (char === '{') return readObject(cursor, depth);
  if (char === '(') return readParenthesized(cursor, depth);
  if (char === '-' || char === '+') return readSigned(cursor);
  return readWord(cursor);
}

/** One text, or several with `+` between them. */
function readTexts(cursor: JsCursor): string {
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

function readText(cursor: JsCursor): string {
  const char = cursor.text[cursor.at];
  if (char === '"' || char === "'") return unescapeJs(skipJsText(cursor));
  if (char !== '`') throw unexpected(cursor);
  const start = ++cursor.at;
  if (skipTemplateText(cursor) === 'expression') throw new NotLiteral('it has a template with expressions');
  return unescapeJs(cursor.text.slice(start, cursor.at - 1).replaceAll('\r\n', '\n'));
}

function readList(cursor: JsCursor, depth: number): unknown[] {
  const values: unknown[] = [];
  cursor.at++;
  for (let comma = true; ; comma = take(cursor, ',')) {
    skipJsSpace(cursor);
    if (take(cursor, ']')) return values;
    if (!comma) throw unexpected(cursor);
    values.push(readValue(cursor, depth + 1));
    skipJsSpace(cursor);
  }
}

function readObject(cursor: JsCursor, depth: number): Record<string, unknown> {
  const entries: [string, unknown][] = [];
  cursor.at++;
  for (let comma = true; ; comma = take(cursor, ',')) {
    skipJsSpace(cursor);
    if (take(cursor, '}')) return Object.fromEntries(entries);
    if (!comma) throw unexpected(cursor);
    const key = readKey(cursor);
    skipJsSpace(cursor);
    if (!take(cursor, ':')) throw new NotLiteral(`it has "${key}" without a value, or as a method`);
    skipJsSpace(cursor);
    entries.push([key, readValue(cursor, depth + 1)]);
    skipJsSpace(cursor);
  }
}

function readKey(cursor: JsCursor): string {
  const char = cursor.text[cursor.at];
  const key = char === '"' || char === "'" ? unescapeJs(skipJsText(cursor)) : readPlainKey(cursor);
  if (key === '__proto__') throw new NotLiteral('it has a key "__proto__"');
  return key;
}

function readPlainKey(cursor: JsCursor): string {
  const word = wordAt(cursor);
  if (word === '' || word.includes('\\')) throw unexpected(cursor);
  cursor.at += word.length;
  return /^\d/.test(word) ? String(toNumber(word)) : word;
}

function readParenthesized(cursor: JsCursor, depth: number): unknown {
  cursor.at++;
  skipJsSpace(cursor);
  const value = readValue(cursor, depth + 1);
  skipJsSpace(cursor);
  if (!take(cursor, ')')) throw unexpected(cursor);
  return value;
}

function readSigned(cursor: JsCursor): number {
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

function readWord(cursor: JsCursor): unknown {
  NUMBER.lastIndex = cursor.at;
  const number = NUMBER.exec(cursor.text)?.[0];
  if (number !== undefined) {
    cursor.at += number.length;
    return toNumber(number);
  }
  const word = wordAt(cursor);
  if (word === '') throw unexpected(cursor);
  if (!NAMES.has(word)) throw new NotLiteral(`it has ${JSON.stringify(word.slice(0, 40))}; only literals can be read`);
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
function checkEnd(cursor: JsCursor): void {
  const newline = skipJsSpace(cursor);
  const char = cursor.text[cursor.at];
  if (char === undefined || char === ';' || char === ',') return;
  const goesOn = '+-*/%&|^<>=?.([`!'.includes(char) || ['in', 'instanceof'].includes(wordAt(cursor));
  if (!newline || goesOn) throw unexpected(cursor);
}

function take(cursor: JsCursor, char: string): boolean {
  if (cursor.text[cursor.at] !== char) return false;
  cursor.at++;
  return true;
}

function unexpected({ text, at }: JsCursor): NotLiteral {
  const found = at < text.length ? JSON.stringify(text[at]) : 'the end of the file';
  return new NotLiteral(`it has ${found} where a literal, "," or a closing bracket is expected`);
}
