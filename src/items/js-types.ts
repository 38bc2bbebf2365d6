import { JsFault, skipJsSpace, skipJsText, wordAt } from './js-text.ts';
import type { SourceCursor } from './source-cursor.ts';

/** More than any type a person writes. */
const MAX_TYPE = 20_000;

/** Moves past `as const`, `as T` and `satisfies T` after a value. The cursor stays where none follows. */
export function skipTypeAssertions(cursor: SourceCursor): void {
  for (;;) {
    const start = cursor.at;
    const newline = skipJsSpace(cursor);
    const word = wordAt(cursor);
    if (newline || (word !== 'as' && word !== 'satisfies')) {
      cursor.at = start;
      return;
    }
    cursor.at += word.length;
    skipJsSpace(cursor);
    skipType(cursor, () => false);
  }
}

/** Moves past `: T` (and `!: T`) after a declared name. */
export function skipTypeAnnotation(cursor: SourceCursor): void {
  const { text } = cursor;
  const start = cursor.at;
  if (text[cursor.at] === '!') cursor.at++;
  skipJsSpace(cursor);
  if (text[cursor.at] !== ':') {
    cursor.at = start;
    return;
  }
  cursor.at++;
  skipJsSpace(cursor);
  skipType(cursor, (char) => char === '=');
}

/**
 * Moves over a type, up to what can't belong to one at its outermost level: a closing bracket, `,`, `;`, a line end with
 * no `|`, `&` or `=>` on either side, another `as` or `satisfies`, or what `ends` says.
 */
function skipType(cursor: SourceCursor, ends: (char: string) => boolean): void {
  const { text, at: start } = cursor;
  let depth = 0;
  for (let last = '|'; cursor.at < text.length;) {
    if (cursor.at - start > MAX_TYPE) throw new JsFault(`a type of more than ${MAX_TYPE} characters`, start);
    const before = cursor.at;
    const newline = skipJsSpace(cursor);
    const char = text[cursor.at] ?? '';
    const word = wordAt(cursor);
    const goesOn = '|&>'.includes(last) || '|&'.includes(char);
    const isAssertion = word === 'as' || word === 'satisfies';
    if (depth === 0 && !'|&'.includes(last) && ((newline && !goesOn) || isAssertion)) {
      cursor.at = before;
      return;
    }
    const isArrow = text.startsWith('=>', cursor.at);
    if (depth === 0 && !isArrow && (',;)]}'.includes(char) || ends(char))) return;
    last = isArrow ? '>' : char;
    if (char === '"' || char === "'") skipJsText(cursor);
    else if (isArrow) cursor.at += 2;
    else {
      if ('([{<'.includes(char)) depth++;
      else if (')]}>'.includes(char)) depth--;
      cursor.at += Math.max(1, word.length);
    }
  }
  if (depth > 0) throw new JsFault('a type without an end', text.length);
}
