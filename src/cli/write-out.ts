import type { Terminal } from './io.ts';
import { fit } from './text-width.ts';

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

/** A line as a terminal has room for it; what no terminal shows is not cut. */
export function fitted(line: string, { isTTY, columns }: Terminal): string {
  return isTTY && columns ? fit(line, Math.max(FEWEST, columns - 1)) : line;
}

/** The same for each line of a text. */
export function fittedLines(text: string, terminal: Terminal): string {
  return text
    .split('\n')
    .map((line) => fitted(line, terminal))
    .join('\n');
}
