import type { Terminal } from './io.ts';
import { fit, textWidth } from './text-width.ts';

/** Writes a text that may be one of very many, and waits until its reader has caught up. */
export async function writeOut(stream: Terminal, text: string): Promise<void> {
  if (stream.write(text) !== false) return;
  await new Promise<void>((resolve) => {
    if (stream.once) stream.once('drain', resolve);
    else resolve();
  });
}

/** Columns that a line has at least: an id and a word. */
const FEWEST = 50;

/** A line as a terminal has room for it, with an end that is never cut; what no terminal shows is whole. */
export function fitted(line: string, { isTTY, columns }: Terminal, end = ''): string {
  if (!isTTY || !columns) return `${line}${end}`;
  return `${fit(line, Math.max(FEWEST, columns - 1) - textWidth(end))}${end}`;
}

/** The same for each line of a text. */
export function fittedLines(text: string, terminal: Terminal): string {
  return text
    .split('\n')
    .map((line) => fitted(line, terminal))
    .join('\n');
}
