import { type Constant, type Constants, NotLiteral } from './constants.ts';
import { createLineCounter } from './line-counter.ts';
import { readPythonLiteral, skipPythonSpace } from './python-literal.ts';
import { type PythonCursor, pythonTextPrefix, skipPythonText } from './python-text.ts';

const NAME = /[A-Za-z_]\w*/y;

/**
 * Reads the constants of these names that a Python file assigns at its top level (`NAME = literal` or
 * `NAME: type = literal` at the start of a line) without running it. The last assignment counts. Linear; never throws.
 */
export function readPythonConstants(source: string, names: ReadonlySet<string>): Constants {
  const cursor: PythonCursor = { text: source, at: 0 };
  const lineAt = createLineCounter(source);
  const constants = new Map<string, Constant>();
  while (cursor.at < source.length) {
    const start = cursor.at;
    const name = readName(cursor);
    if (name !== undefined && names.has(name) && skipToValue(cursor)) {
      constants.set(name, readConstant(cursor, lineAt(start)));
    }
    skipStatement(cursor);
  }
  return constants;
}

function readName(cursor: PythonCursor): string | undefined {
  NAME.lastIndex = cursor.at;
  const name = NAME.exec(cursor.text)?.[0];
  // A prefixed text such as r"…" is no name.
  if (name === undefined || pythonTextPrefix(cursor) !== undefined) return undefined;
  cursor.at += name.length;
  return name;
}

/** Moves past an annotation and the equals sign; false if this is no assignment. */
function skipToValue(cursor: PythonCursor): boolean {
  skipPythonSpace(cursor, false);
  if (cursor.text[cursor.at] === ':') cursor.at = endOfAnnotation(cursor);
  if (cursor.text[cursor.at] !== '=' || cursor.text[cursor.at + 1] === '=') return false;
  cursor.at++;
  skipPythonSpace(cursor, false);
  return true;
}

function endOfAnnotation({ text, at }: PythonCursor): number {
  let end = at;
  while (end < text.length && text[end] !== '=' && text[end] !== '\n') end++;
  return end;
}

function readConstant(cursor: PythonCursor, line: number): Constant {
  const start = cursor.at;
  try {
    const value = readPythonLiteral(cursor);
    skipPythonSpace(cursor, false);
    const next = cursor.text[cursor.at];
    if (next !== undefined && !'\r\n#;'.includes(next)) {
      throw new NotLiteral(`something follows the literal: ${JSON.stringify(next)}`);
    }
    return { ok: true, value, line };
  } catch (error) {
    if (!(error instanceof NotLiteral)) throw error;
    cursor.at = start;
    return { ok: false, reason: error.message, line };
  }
}

/** Moves to the start of the next logical line: past text literals, comments, brackets and continued lines. */
function skipStatement(cursor: PythonCursor): void {
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
      else if (char === '\n' && brackets === 0) return;
    }
  }
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}
