import { findCodeFences } from '../code-fences.ts';
import { frontMatterEnd } from '../dashed-front-matter.ts';
import { type LineForm, commentSyntax } from './line-form.ts';
import { MARK_START } from './signature-mark.ts';
import { nextLine } from '../line-end.ts';

/** A line of a text, with its line end; a byte order mark before the first line is no part of it. */
export type TextLine = { readonly start: number; readonly end: number; readonly text: string };

/**
 * The lines that contain `needle`, in order, without those in a code block of Markdown. An unclosed block hides what
 * follows it, as it does for a reader. Takes one pass, whatever the text.
 */
export function* linesWith(text: string, needle: string, form: LineForm): Generator<TextLine> {
  let at = text.indexOf(needle);
  if (at === -1) return;
  const hidden = createHidden(text, form);
  while (at !== -1) {
    const end = nextLine(text, at);
    const start = lineStart(text, at);
    if (!hidden(start)) yield { start, end, text: text.slice(start, end) };
    at = text.indexOf(needle, end);
  }
}

/** Whether the text begins with a byte order mark. */
export function hasByteOrderMark(text: string): boolean {
  return text.startsWith('\uFEFF');
}

function lineStart(text: string, at: number): number {
  const start = text.lastIndexOf('\n', at) + 1;
  return start === 0 && hasByteOrderMark(text) ? 1 : start;
}

/** Tells of ascending offsets whether they are inside a code block. */
function createHidden(text: string, form: LineForm): (offset: number) => boolean {
  if (form !== 'html') return () => false;
  // Front matter is no Markdown: a code block that it seems to open hides nothing.
  const markdown = frontMatterEnd(text) || Number(hasByteOrderMark(text));
  const fences = findCodeFences(text.slice(markdown));
  let next = 0;
  return (offset) => {
    while ((fences[next]?.end ?? Number.POSITIVE_INFINITY) + markdown <= offset) next++;
    return (fences[next]?.start ?? Number.POSITIVE_INFINITY) + markdown <= offset;
  };
}

/** A line that is or ends in a signature. */
export type SignatureLine = TextLine & {
  /** The signature, if the whole line is one and nothing else. */
  readonly mark: string | undefined;
};

/** The first signature lines of a text, at most `limit`: those that begin as a signature, and those that end in one. */
export function findSignatureLines(text: string, form: LineForm, limit: number): readonly SignatureLine[] {
  const { opens, whole, ends } = commentSyntax(form);
  return linesWith(text, MARK_START, form)
    .filter((line) => opens.test(line.text) || ends.test(line.text.slice(line.text.lastIndexOf(MARK_START))))
    .map((line) => ({ ...line, mark: whole.exec(line.text)?.[1] }))
    .take(limit)
    .toArray();
}
