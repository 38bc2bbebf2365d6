import { nextLine } from './line-end.ts';

/** A fenced code block of a Markdown text. Offsets are into that text; `end` is just past the closing line. */
export type CodeFence = {
  readonly start: number;
  /** First word after the opening marks, lower case; empty if there is none. */
  readonly language: string;
  readonly contentStart: number;
  /** Before the newline that precedes the closing line. */
  readonly contentEnd: number;
  readonly end: number;
  /** Line of the first content character, counted from 1. */
  readonly contentLine: number;
};

const OPENING = /^ {0,3}(`{3,}|~{3,})([^\r\n]*)/;

/**
 * Finds the fenced code blocks of a Markdown text in order, by CommonMark's rule: a block ends at a line of the same
 * mark at least as long as the opening one, so a longer fence may hold shorter ones; an unclosed block runs to the end.
 */
export function findCodeFences(text: string): CodeFence[] {
  const fences: CodeFence[] = [];
  let open: OpenFence | undefined;
  let line = 1;
  for (let start = 0; start < text.length; line++) {
    const next = nextLine(text, start);
    if (mayBeFence(text, start)) {
      const content = text.slice(start, next);
      if (open === undefined) open = openFence(content, { start, contentStart: next, contentLine: line + 1 });
      else if (closes(content, open.mark)) {
        fences.push(finish(open, text, { contentEnd: start, end: next }));
        open = undefined;
      }
    }
    start = next;
  }
  if (open !== undefined) fences.push(finish(open, text, { contentEnd: text.length, end: text.length }));
  return fences;
}

type FenceStart = Pick<CodeFence, 'start' | 'contentStart' | 'contentLine'>;
type OpenFence = FenceStart & { readonly mark: string; readonly language: string };

/** A cheap look at the start of a line: most lines are no fence, and some texts have a million lines. */
function mayBeFence(text: string, start: number): boolean {
  let at = start;
  while (text[at] === ' ' && at < start + 3) at++;
  return text[at] === '`' || text[at] === '~';
}

function openFence(line: string, at: FenceStart): OpenFence | undefined {
  const match = OPENING.exec(line);
  const mark = match?.[1] ?? '';
  const info = match?.[2] ?? '';
  if (mark === '' || (mark.startsWith('`') && info.includes('`'))) return undefined;
  return { ...at, mark, language: (info.trim().split(/\s/, 1)[0] ?? '').toLowerCase() };
}

function closes(line: string, mark: string): boolean {
  const trimmed = line.trim();
  const indent = line.length - line.trimStart().length;
  if (indent > 3 || trimmed.length < mark.length) return false;
  for (const char of trimmed) if (char !== mark[0]) return false;
  return true;
}

function finish(open: OpenFence, text: string, at: Pick<CodeFence, 'contentEnd' | 'end'>): CodeFence {
  const { start, language, contentStart, contentLine } = open;
  const contentEnd = Math.max(contentStart, withoutNewline(text, at.contentEnd));
  return { start, language, contentStart, contentEnd, end: at.end, contentLine };
}

function withoutNewline(text: string, end: number): number {
  if (text[end - 1] !== '\n') return end;
  return text[end - 2] === '\r' ? end - 2 : end - 1;
}
