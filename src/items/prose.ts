import { type CodeFence, findCodeFences } from './code-fences.ts';
import { frontMatterEnd } from './dashed-front-matter.ts';
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

/** The text without its signature lines; every other byte stays. Code blocks are left alone. */
export function dropSignatureLines(text: string): string {
  if (!text.includes('rye:')) return text;
  return keepLines(text, (line) => !isSignatureLine(line));
}

/** The same of a whole file. Its front matter is no Markdown: a code block that it seems to open hides nothing. */
export function dropFileSignatures(source: string): string {
  const end = frontMatterEnd(source);
  return dropSignatureLines(source.slice(0, end)) + dropSignatureLines(source.slice(end));
}

/** The older form of a body: prose without signature lines and `# ` headings; code blocks are left alone. */
export function dropHeadings(text: string): string {
  const isSigned = text.includes('rye:');
  return keepLines(text, (line) => !(isSigned && isSignatureLine(line)) && !line.trimStart().startsWith('# '));
}

function keepLines(text: string, keep: (line: string) => boolean): string {
  const fences = findCodeFences(text);
  const kept: string[] = [];
  let passed = 0;
  let from = 0;
  for (let start = 0, next = 0; start < text.length; start = next) {
    const fence: CodeFence | undefined = fences[passed];
    const inFence = fence?.start === start;
    next = fence !== undefined && inFence ? fence.end : lineEnd(text, start);
    if (inFence) passed++;
    if (inFence || keep(text.slice(start, next))) continue;
    kept.push(text.slice(from, start));
    from = next;
  }
  kept.push(text.slice(from));
  return kept.join('');
}

function lineEnd(text: string, start: number): number {
  const newline = text.indexOf('\n', start);
  return newline === -1 ? text.length : newline + 1;
}
