import type { Rendered } from './engine/template.ts';
import { readRoleLine } from './role-line.ts';

/** A template whose role lines are marked, and what reads the text that was made of it. */
export type MarkedTemplate = { readonly template: string; readonly unmark: (text: string) => Rendered };

/**
 * Marks a template's own role lines with a text nobody can know before, for a renderer that returns nothing but text. In that
 * text a line between two marks that is one of the template's role lines, letter by letter, is taken for the template's; all
 * else counts as an input's.
 */
export function markRoles(template: string, nonce: string): MarkedTemplate {
  const mark = `__PROMPTY_ROLE_${nonce}__`;
  const own = new Set<string>();
  const lines = template.split('\n').map((line) => {
    if (!readRoleLine(line)) return line;
    own.add(line.trim());
    return mark + line.trim() + mark;
  });
  return { template: lines.join('\n'), unmark: (text) => unmark(text, mark, own) };
}

function unmark(text: string, mark: string, own: ReadonlySet<string>): Rendered {
  if (!text.includes(mark)) return { text, inputSpans: text === '' ? [] : [0, text.length] };
  const lines = text.split('\n');
  const inputSpans: number[] = [];
  let at = 0;
  let inputFrom = 0;
  const clean = lines.map((line) => {
    const bare = line.replaceAll(mark, '');
    const isOwn = line.trim() === mark + bare.trim() + mark && own.has(bare.trim());
    if (isOwn) {
      // The line's ends are the template's too.
      if (at - 1 > inputFrom) inputSpans.push(inputFrom, at - 1);
      inputFrom = at + bare.length + 1;
    }
    at += bare.length + 1;
    return bare;
  });
  const joined = clean.join('\n');
  if (inputFrom < joined.length) inputSpans.push(inputFrom, joined.length);
  return { text: joined, inputSpans };
}
