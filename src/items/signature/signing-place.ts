import { frontMatterEnd } from '../dashed-front-matter.ts';
import { nextLine } from '../line-end.ts';
import type { LineForm } from './line-form.ts';
import { hasByteOrderMark } from './signature-lines.ts';

/**
 * Splits a text where its signature line goes: as far up as it can be without moving what has to stand first, which is a
 * byte order mark, front matter between `---` lines, a `#!` line, or Python's encoding comment (line 1 or 2).
 */
export function signingPlace(text: string, form: LineForm): { readonly before: string; readonly after: string } {
  const place = form === 'html' ? frontMatterEnd(text) : headEnd(text);
  const start = place === 0 && hasByteOrderMark(text) ? 1 : place;
  return { before: text.slice(0, start), after: text.slice(start) };
}

const INTERPRETER = /^\uFEFF?#!/;
/** As the Python reference has it, "Encoding declarations"; in the second line only if the first says nothing else. */
const ENCODING = /^\uFEFF?[ \t\f]*#[^\n]*?coding[:=][ \t]*[-\w.]/;
const COMMENT_OR_BLANK = /^\uFEFF?[ \t\f]*(?:#|\r?\n?$)/;

/** The end of the last of the first two lines that says how the file is to be read. */
function headEnd(text: string): number {
  const first = nextLine(text, 0);
  const second = nextLine(text, first);
  const line = text.slice(0, first);
  if (COMMENT_OR_BLANK.test(line) && ENCODING.test(text.slice(first, second))) return second;
  return INTERPRETER.test(line) || ENCODING.test(line) ? first : 0;
}
