import { NotLiteral } from './constants.ts';
import type { SourceCursor } from './source-cursor.ts';

const PREFIX = /[A-Za-z]{0,2}(?=["'])/y;
const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\n', ''],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['a', '\u0007'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
]);

/** The prefix of a text literal that starts here (`r`, `f`, `` …), or undefined if none does. */
export function pythonTextPrefix({ text, at }: SourceCursor): string | undefined {
  PREFIX.lastIndex = at;
  return PREFIX.exec(text)?.[0].toLowerCase();
}

/** Moves past a text literal, whose prefix is known, and returns what is between its quotes, raw. */
export function skipPythonText(
  cursor: SourceCursor,
  prefix: string,
): { readonly raw: string; readonly closed: boolean } {
  const { text } = cursor;
  const start = cursor.at + prefix.length;
  const quote = text[start] ?? '"';
  const mark = text.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote;
  const first = start + mark.length;
  for (let at = first; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text.startsWith(mark, at)) {
      cursor.at = at + mark.length;
      return { raw: text.slice(first, at), closed: true };
    } else if (text[at] === '\n' && mark.length === 1) {
      cursor.at = at;
      return { raw: text.slice(first, at), closed: false };
    }
  }
  cursor.at = text.length;
  return { raw: text.slice(first), closed: false };
}

/** Reads a text literal; neighbouring ones are joined by the caller. @throws NotLiteral for f-strings and bytes */
export function readPythonText(cursor: SourceCursor, prefix: string): string {
  if (!['', 'r', 'u'].includes(prefix)) throw new NotLiteral(`it has a text with the prefix "${prefix}"`);
  const { raw, closed } = skipPythonText(cursor, prefix);
  if (!closed) throw new NotLiteral('it has a text without an end');
  return prefix === 'r' ? raw : unescape(raw);
}

const ESCAPE = /\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([0-7]{1,3})|(\r\n|[^]))/g;

function unescape(raw: string): string {
  if (!raw.includes('\\')) return raw;
  return raw.replace(ESCAPE, (escape: string, ...groups: (string | undefined)[]) => {
    const [x, u, wide, octal, other = ''] = groups;
    const hex = x ?? u ?? wide;
    if (hex !== undefined) return codePoint(Number.parseInt(hex, 16));
    if (octal !== undefined) return codePoint(Number.parseInt(octal, 8));
    if (other === 'N' || other === 'x' || other === 'u' || other === 'U') {
      throw new NotLiteral(`it has the escape ${escape}, which is not read`);
    }
    return other === '\r\n' ? '' : (SIMPLE_ESCAPES.get(other) ?? escape);
  });
}

function codePoint(code: number): string {
  if (code > 0x10ffff) throw new NotLiteral('it has an escape beyond Unicode');
  return String.fromCodePoint(code);
}
