import { SkeinError } from '../core/errors.ts';
import { type CodeFence, findCodeFences } from './code-fences.ts';
import { cleanPreamble, dropSignatureLines } from './prose.ts';
import { invalidItem, type Reading, warn } from './reading.ts';

/** A directive file taken apart (contracts, "`preamble`, `body`, `content`"). */
export type DirectiveSource = {
  readonly preamble: string;
  readonly body: string;
  /** Line of the file that a line of `body` is; both from 1. */
  readonly lineInFile: (line: number) => number;
  /** True when nothing follows the fence, so that the preamble is the body. */
  readonly bodyIsPreamble: boolean;
  /** The raw XML of the fence. */
  readonly content: string;
  readonly contentLine: number;
};

const MAX_SOURCE_BYTES = 1024 * 1024;
const MAX_CONTENT_BYTES = 256 * 1024;

/**
 * Finds the first ```` ```xml ```` block whose root is `<directive>` and splits the file around it. Blocks inside
 * longer blocks are examples and not looked at.
 *
 * @throws SkeinError `invalid_item` without such a block, `item_too_large` beyond 1 MiB (file) or 256 KiB (block)
 */
export function splitDirective(source: string, reading: Reading): DirectiveSource {
  checkSize(source, MAX_SOURCE_BYTES, { what: 'directive', file: reading.file });
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source;
  const fences = findCodeFences(text);
  const first = fences.findIndex((fence) => isDirectiveFence(text, fence));
  const fence = fences[first];
  if (fence === undefined) {
    throw invalidItem(
      reading,
      1,
      'There is no ```xml block with a <directive> element as its root outside other blocks',
    );
  }
  const second = fences.slice(first + 1).find((other) => isDirectiveFence(text, other));
  if (second !== undefined) warn(reading, second.contentLine, 'a second <directive> is text of the body and not read');
  const content = text.slice(fence.contentStart, fence.contentEnd);
  checkSize(content, MAX_CONTENT_BYTES, { what: 'XML of the directive', file: reading.file });
  const before = text.slice(0, fence.start);
  const after = dropSignatureLines(text, fence.end);
  const parts = { content, contentLine: fence.contentLine };
  if (after.trim() === '') {
    const body = cleanPreamble(before);
    return { ...parts, preamble: '', body, lineInFile: linesOf(body, before, 1), bodyIsPreamble: true };
  }
  const lineInFile = linesOf(after, text.slice(fence.end), lineAfter(content, fence));
  return { ...parts, preamble: before, body: after, lineInFile, bodyIsPreamble: false };
}

/** Whether a code block of `text` holds XML with the root `<directive>`. */
export function isDirectiveFence(text: string, fence: CodeFence): boolean {
  return fence.language === 'xml' && rootName(text.slice(fence.contentStart, fence.contentEnd)) === 'directive';
}

function checkSize(text: string, maxBytes: number, at: { what: string; file: string }): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return;
  throw new SkeinError('item_too_large', `The ${at.what} has ${bytes} bytes; ${maxBytes} are accepted`, {
    where: { file: at.file },
  });
}

/** What may stand before the root: space, declarations, comments, and a DOCTYPE, which is refused where the block is read. */
const BEFORE_ROOT = /(?:\s+|<\?[^]*?\?>|<!--[^]*?-->|<!doctype(?!\s+directive\b)[^>[]*(?:\[[^]*?\]\s*)?>)/iy;

/** Name of the first element; a DOCTYPE for a directive is taken at its word. */
function rootName(xml: string): string | undefined {
  let at = 0;
  while (BEFORE_ROOT.test(xml)) at = BEFORE_ROOT.lastIndex;
  return nameAt(xml, at);
}

function nameAt(xml: string, start: number): string | undefined {
  return /^<(?:!doctype\s+)?([A-Za-z_][\w:.-]*)/i.exec(xml.slice(start, start + 200))?.[1];
}

/**
 * Where the lines of a text stand in the one that some were left out of, which begins on `firstLine`. A line that is kept is
 * the next that is equal: only within a code block it may look like one that is left out, and there all are kept.
 */
function linesOf(kept: string, text: string, firstLine: number): (line: number) => number {
  let found: readonly number[] | undefined;
  const find = (): readonly number[] => {
    const lines = text.split('\n');
    let at = 0;
    return kept.split('\n').map((line) => firstLine - 1 + (at = lines.indexOf(line, at) + 1));
  };
  return (line) => (found ??= find())[line - 1] ?? firstLine;
}

function lineAfter(content: string, fence: CodeFence): number {
  return fence.contentLine + (content === '' ? 0 : content.split('\n').length) + 1;
}
