import { lineEnd } from './line-end.ts';
import type { SourceCursor } from './source-cursor.ts';

/** Something without an end: the file is no module. */
export class JsFault extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

const WORD = /(?:[\w$\\]|(?![\s\ufeff])[\u0080-\u{10ffff}])+/uy;
/** Most characters that begin no word, for a quick answer. */
const MARKS = new Set(' \n\t()[]{}<>,;:.=+-*/!?&|"\'`#@~^%');
const SPACE = /[ \t\v\f\u00a0\ufeff\u2000-\u200a\u202f\u205f\u3000]+/y;

/** The identifier, keyword or number that starts here; `` if none does. The cursor stays. */
export function wordAt({ text, at }: SourceCursor): string {
  if (MARKS.has(text[at] ?? ' ')) return '';
  WORD.lastIndex = at;
  return WORD.exec(text)?.[0] ?? '';
}

/** Moves past blanks, line ends and comments; true if there was a line end. @throws JsFault for an endless comment */
export function skipJsSpace(cursor: SourceCursor): boolean {
  const { text } = cursor;
  let newline = false;
  for (;;) {
    const char = text[cursor.at];
    if (char !== undefined && char > ' ' && char < '\u007f' && char !== '/') return newline;
    if (char === '\n' || char === '\r' || char === '\u2028' || char === '\u2029') {
      newline = true;
      cursor.at++;
    } else if (char === '/' && text[cursor.at + 1] === '/') cursor.at = lineEnd(text, cursor.at);
    else if (char === '/' && text[cursor.at + 1] === '*') newline = skipComment(cursor) || newline;
    else {
      SPACE.lastIndex = cursor.at;
      if (char === undefined || !SPACE.test(text)) return newline;
      cursor.at = SPACE.lastIndex;
    }
  }
}

/** Moves past a text in quotes and returns what is between them, raw. @throws JsFault if it does not end on its line */
export function skipJsText(cursor: SourceCursor): string {
  const { text, at } = cursor;
  const quote = text[at];
  for (let end = at + 1; end < text.length; end++) {
    const char = text[end];
    if (char === '\\') end += text.startsWith('\r\n', end + 1) ? 2 : 1;
    else if (char === quote) {
      cursor.at = end + 1;
      return text.slice(at + 1, end);
    } else if (char === '\n' || char === '\r') break;
  }
  throw new JsFault('a text without an end', at);
}

/**
 * Moves past template text, from after its opening mark or a `}`, to after the closing mark or the next `${`, and says
 * which of the two it was.
 *
 * @throws JsFault if there is neither
 */
export function skipTemplateText(cursor: SourceCursor): 'end' | 'expression' {
  const { text, at } = cursor;
  for (let end = at; end < text.length; end++) {
    const char = text[end];
    if (char === '\\') end++;
    else if (char === '`' || (char === '$' && text[end + 1] === '{')) {
      cursor.at = end + (char === '`' ? 1 : 2);
      return char === '`' ? 'end' : 'expression';
    }
  }
  throw new JsFault('a template without an end', at - 1);
}

/** Where the regular expression that starts here ends; if it does not end on its line, the end of the line. */
export function endOfRegex({ text, at }: SourceCursor): { readonly closed: boolean; readonly at: number } {
  let inClass = false;
  for (let end = at + 1; end < text.length; end++) {
    const char = text[end];
    if (char === '\n' || char === '\r') return { closed: false, at: end };
    if (char === '\\') end++;
    else if (char === '[') inClass = true;
    else if (char === ']') inClass = false;
    else if (char === '/' && !inClass) return { closed: true, at: end + 1 };
  }
  return { closed: false, at: text.length };
}

function skipComment(cursor: SourceCursor): boolean {
  const end = cursor.text.indexOf('*/', cursor.at + 2);
  if (end === -1) throw new JsFault('a comment without an end', cursor.at);
  const hasLineEnd = /[\n\r]/.test(cursor.text.slice(cursor.at, end));
  cursor.at = end + 2;
  return hasLineEnd;
}
