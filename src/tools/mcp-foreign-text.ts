import { startOf } from '../core/cut-text.ts';

/** What nobody sees, or what reorders text or acts on a terminal: controls, formats, private use, lone surrogates. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Text of an MCP server as a person would read it: without hidden characters, and not longer than `maxChars`. */
export function foreignText(text: string, maxChars: number): string {
  // What is far behind the end is not even looked at.
  const seen = text
    .slice(0, maxChars * 2)
    .replaceAll(HIDDEN, (char) => (char === '\n' || char === '\t' ? char : ''))
    .trim();
  return seen.length <= maxChars ? seen : `${startOf(seen, maxChars - 1)}…`;
}
