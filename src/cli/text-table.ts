import { textWidth } from './text-width.ts';

/** Columns of the left side at most; what is longer has its right side below it. */
const MOST_LEFT = 36;
/** Columns that the right side has at least beside the left one. */
const FEWEST_RIGHT = 24;

/** Rows of two texts, the right ones below each other and broken at words; no line is wider than the columns, words apart. */
export function tableLines(rows: readonly (readonly [string, string])[], columns: number): readonly string[] {
  const widths = rows.map(([left]) => textWidth(left)).filter((width) => width <= MOST_LEFT);
  const indent = Math.min(Math.max(0, ...widths), MOST_LEFT) + 4;
  const isNarrow = columns - indent < FEWEST_RIGHT;
  return rows.flatMap(([left, right]) => rowLines(left, right, { columns, indent: isNarrow ? 6 : indent }));
}

type Sizes = { readonly columns: number; readonly indent: number };

function rowLines(left: string, right: string, { columns, indent }: Sizes): readonly string[] {
  const lines = wrap(right, columns - indent).map((line) => `${' '.repeat(indent)}${line}`);
  const width = textWidth(left) + 4;
  if (width > indent) return [`  ${left}`, ...lines];
  const [first = '', ...more] = lines;
  return [`  ${left}${first.slice(textWidth(left) + 2)}`, ...more];
}

/** A text broken at its spaces into lines of so many columns; a longer word has a line of its own. */
export function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(last) + 1 + textWidth(word) <= columns)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
