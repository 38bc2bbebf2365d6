import { findCodeFences } from './code-fences.ts';
import { frontMatterEnd } from './dashed-front-matter.ts';
import { nextLine } from './line-end.ts';
import { commentSyntax } from './signature/line-form.ts';

/** Whether a line is nothing but a signature comment of a Markdown item (contracts, "Signature"). */
function isSignatureLine(line: string): boolean {
  return commentSyntax('html').replaceable.test(line);
}

/** Signature lines before the front matter: they are gone when its lines are counted. */
export function leadingSignatures(source: string): number {
  const lines = source.split('\n');
  const end = lines.findIndex((line) => line.trim() !== '' && !isSignatureLine(line));
  return lines.slice(0, Math.max(0, end)).filter(isSignatureLine).length;
}

/**
 * A file from there on without its signature lines; every other byte stays. They are those that are verified: what is in a
 * code block is none, and front matter is no Markdown that has code blocks.
 */
export function dropSignatureLines(source: string, from = 0): string {
  if (!source.includes('rye:')) return source.slice(from);
  return keepLines(source, (line) => !isSignatureLine(line), { markdown: frontMatterEnd(source), from });
}

/**
 * What of the beginning of a directive, above its XML, is for the model (S0 "Preamble Cleaning"): all but signature lines and
 * `# ` headings. Code blocks are left alone: a comment in one is no heading.
 */
export function cleanPreamble(text: string): string {
  return keepLines(dropSignatureLines(text), (line) => !line.trimStart().startsWith('# '));
}

/** What of a text is kept from `from` on; that is all of its code blocks, which begin behind `markdown`. */
function keepLines(source: string, keep: (line: string) => boolean, { markdown = 0, from = 0 } = {}): string {
  const fences = findCodeFences(source.slice(markdown));
  const kept: string[] = [];
  let passed = 0;
  let begin = from;
  for (let start = from, next = from; start < source.length; start = next) {
    while ((fences[passed]?.end ?? source.length) + markdown <= start) passed++;
    const fence = fences[passed];
    const inFence = fence !== undefined && fence.start + markdown <= start;
    next = inFence ? fence.end + markdown : nextLine(source, start);
    if (inFence || keep(source.slice(start, next))) continue;
    kept.push(source.slice(begin, start));
    begin = next;
  }
  kept.push(source.slice(begin));
  return kept.join('');
}
