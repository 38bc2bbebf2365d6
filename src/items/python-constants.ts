import { type Constant, type Constants, faultOfLength, literalRange, NotLiteral } from './constants.ts';
import { createLineCounter } from './line-counter.ts';
import { withLineFeeds } from './line-feeds.ts';
import { readPythonLiteral, skipPythonSpace } from './python-literal.ts';
import { pythonTextPrefix, skipPythonText } from './python-text.ts';
import { lineEnd } from './line-end.ts';
import type { SourceCursor } from './source-cursor.ts';

const NAME = /[A-Za-z_]\w*/y;

/** What follows a semicolon on a line that starts with one of these belongs to it. */
const COMPOUND = new Set('if for while with try class def else elif except finally async match case'.split(' '));

/**
 * Reads the constants of these names that a Python file assigns at its top level (`NAME = literal` or
 * `NAME: type = literal` at the start of a line, or after a semicolon) without running it. The last assignment counts.
 * Linear; never throws.
 */
export function readPythonConstants(file: string, names: ReadonlySet<string>): Constants {
  // As Python reads it, also inside of texts.
  const source = withLineFeeds(file);
  const cursor: SourceCursor = { text: source, at: 0 };
  const lineAt = createLineCounter(source);
  const assigned = new Map<string, Assignment>();
  let isCompound = false;
  while (cursor.at < source.length) {
    const start = cursor.at;
    if (source[start] === '\n') {
      cursor.at++;
      continue;
    }
    const name = readName(cursor);
    if (source[start - 1] !== ';') isCompound = isIndented(source, start) || COMPOUND.has(name ?? '');
    if (name !== undefined && !isCompound && names.has(name) && skipToValue(cursor)) {
      assigned.set(name, { value: cursor.at, start });
    }
    skipStatement(cursor);
  }
  // The last ones only: one text may hold 60,000, and each that is no literal costs an error.
  const constants = Array.from(assigned, ([name, found]): [string, Constant] => [
    name,
    readConstant(source, found.value, lineAt(found.start)),
  ]);
  return new Map(constants);
}

/** Offsets of an assignment and of its value. */
type Assignment = { readonly value: number; readonly start: number };

function isIndented(text: string, at: number): boolean {
  return text[at] === ' ' || text[at] === '\t' || text[at] === '\f';
}

function readName(cursor: SourceCursor): string | undefined {
  if (cursor.text[cursor.at - 1] === ';') skipPythonSpace(cursor, false);
  NAME.lastIndex = cursor.at;
  const name = NAME.exec(cursor.text)?.[0];
  // A prefixed text such as r"…" is no name.
  if (name === undefined || pythonTextPrefix(cursor) !== undefined) return undefined;
  cursor.at += name.length;
  return name;
}

/** Moves past an annotation and the equals sign; false if this is no assignment. */
function skipToValue(cursor: SourceCursor): boolean {
  skipPythonSpace(cursor, false);
  if (cursor.text[cursor.at] === ':') cursor.at = endOfAnnotation(cursor);
  if (cursor.text[cursor.at] !== '=' || cursor.text[cursor.at + 1] === '=') return false;
  cursor.at++;
  skipPythonSpace(cursor, false);
  return true;
}

function endOfAnnotation({ text, at }: SourceCursor): number {
  let end = at;
  while (end < text.length && text[end] !== '=' && text[end] !== '\n') end++;
  return end;
}

function readConstant(source: string, offset: number, line: number): Constant {
  const cursor: SourceCursor = { text: literalRange(source, offset), at: offset };
  try {
    const value = readPythonLiteral(cursor);
    const tooLong = faultOfLength(cursor, source);
    if (tooLong !== undefined) throw new NotLiteral(tooLong);
    const after = { text: source, at: cursor.at };
    skipPythonSpace(after, false);
    const next = source[after.at];
    if (next !== undefined && !'\r\n#;'.includes(next)) {
      throw new NotLiteral(`something follows the literal: ${JSON.stringify(next)}`);
    }
    return { ok: true, value, line };
  } catch (error) {
    if (!(error instanceof NotLiteral)) throw error;
    return { ok: false, reason: faultOfLength(cursor, source) ?? error.message, line };
  }
}

/** Moves past the end of a statement, a line end or semicolon: over texts, comments, brackets and continued lines. */
function skipStatement(cursor: SourceCursor): void {
  const { text } = cursor;
  let brackets = 0;
  while (cursor.at < text.length) {
    const char = text[cursor.at] ?? '';
    if (char === '"' || char === "'") {
      skipPythonText(cursor, '');
      continue;
    }
    if (char === '#') cursor.at = lineEnd(text, cursor.at);
    else if (char === '\\') cursor.at += text.startsWith('\r\n', cursor.at + 1) ? 3 : 2;
    else {
      cursor.at++;
      if ('([{'.includes(char)) brackets++;
      else if (')]}'.includes(char)) brackets = Math.max(0, brackets - 1);
      else if ((char === '\n' || char === ';') && brackets === 0) return;
    }
  }
}
