import { startOf } from '../core/cut-text.ts';
import { escapeUnits, UNSEEN } from '../core/visible-text.ts';

/** What nobody sees, also where it may belong to a word: a model reads what is written with it. And formats, and private use. */
const HIDDEN = new RegExp(String.raw`[${UNSEEN}\p{Cf}\p{Co}]`, 'gu');

/** Text of an MCP server as a person would read it: without hidden characters, and not longer than `maxChars`. */
export function foreignText(text: string, maxChars: number): string {
  // What is far behind the end is not even looked at.
  const seen = text
    .slice(0, maxChars * 2)
    .replaceAll(HIDDEN, (char) => (isLayout(char) ? char : ''))
    .trim();
  return seen.length <= maxChars ? seen : `${startOf(seen, maxChars - 1)}…`;
}

/** The same text, in which JSON is still the same, with hidden characters as JSON can write them. */
export function withShownHidden(text: string): string {
  return text.replaceAll(HIDDEN, (char) => (isLayout(char) ? char : escapeUnits(char)));
}

function isLayout(char: string): boolean {
  return char === '\n' || char === '\t';
}
