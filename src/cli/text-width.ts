/** Characters that take two columns: East Asian wide ones and emoji. */
const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}|[\u{20000}-\u{3FFFD}]/u;
/** Characters that take none. Among those that format, the signs that stand around numbers and words are seen. */
const NO_WIDTH = /^[[\p{Mn}\p{Me}\p{Cf}]--[\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}]]/v;

/** Columns a text takes on a terminal, near enough. */
export function textWidth(text: string): number {
  let width = 0;
  for (const char of text) width += charWidth(char);
  return width;
}

/** A text cut to a number of columns, ending in `…` if something was left out. */
export function fit(text: string, columns: number): string {
  if (columns <= 0) return '';
  if (textWidth(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const char of text) {
    width += charWidth(char);
    if (width > columns - 1) break;
    kept += char;
  }
  return `${kept}…`;
}

function charWidth(char: string): number {
  if (char < '\u0300') return 1;
  if (NO_WIDTH.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
}
