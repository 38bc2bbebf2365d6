import { CALL_FENCE, CALL_FENCE_END, CALL_TAG, CALL_TAG_END } from './text-tools-form.ts';

/** A block of an answer that stands for a tool call. */
export type CallBlock = {
  /** What is between its beginning and its end. */
  readonly body: string;
  /** All of it, word for word. */
  readonly written: string;
  /** It has its end; the answer may stop before that. */
  readonly isClosed: boolean;
};

/** Hears what an answer is made of, in its order. */
export type TextToolListener = {
  readonly text: (piece: string) => void;
  readonly block: (block: CallBlock) => void;
};

/**
 * Finds tool calls in a text that comes in pieces. A call begins at the beginning of a line, outside of other code fences;
 * the text around is passed on as it comes, but for what may still become the beginning of a call. Invariants:
 * 1. Texts and blocks as written are the whole answer, in its order (but for the line break after a block).
 * 2. Each line is looked at when it begins and when it ends: the time is linear, however it is cut.
 */
export class TextToolScanner {
  readonly #hear: TextToolListener;
  #line = '';
  /** What is known of a line outside of blocks: not yet whether it begins a call, that it does, that it does not. */
  #head: 'unsure' | 'call' | 'text' = 'unsure';
  /** The code fence that is open and is no call. */
  #fence: string | undefined;
  #block: OpenBlock | undefined;

  constructor(hear: TextToolListener) {
    this.#hear = hear;
  }

  push(piece: string): void {
    for (let from = 0; from < piece.length;) {
      const lineEnd = piece.indexOf('\n', from);
      const to = lineEnd === -1 ? piece.length : lineEnd + 1;
      this.#grow(piece.slice(from, to));
      if (lineEnd !== -1) this.#endLine();
      from = to;
    }
  }

  /** The answer is whole. */
  finish(): void {
    this.#endLine();
    if (this.#block) this.#close(this.#block, false);
  }

  /** The answer has broken off: what may have become a call is text. */
  breakOff(): void {
    const held = this.#head === 'text' ? '' : this.#line;
    const { begin, body } = this.#block ?? { begin: '', body: '' };
    if (begin + held !== '') this.#hear.text(begin + body + held);
  }

  #grow(piece: string): void {
    this.#line += piece;
    if (this.#block || this.#head === 'call') return;
    if (this.#head === 'text') return this.#hear.text(piece);
    this.#head = this.#fence === undefined ? headOf(this.#line) : 'text';
    if (this.#head === 'text') this.#hear.text(this.#line);
  }

  #endLine(): void {
    const line = this.#line;
    const head = this.#head;
    this.#line = '';
    this.#head = 'unsure';
    if (this.#block) return this.#readLines(line);
    if (head === 'call' || (head === 'unsure' && line === CALL_FENCE)) return this.#readLines(line);
    // Too short to be anything.
    if (head === 'unsure' && line !== '') this.#hear.text(line);
    this.#fence = fenceAfter(line, this.#fence);
  }

  /** A line of blocks: the end of a tag may have another call, or text, behind it. */
  #readLines(line: string): void {
    for (let rest = line; rest !== '';) {
      const block = this.#block;
      if (block) {
        rest = this.#readBlock(block, rest);
        continue;
      }
      const start = rest.trimStart();
      const opened = openBlock(start);
      if (!opened) return rest.trim() === '' ? undefined : this.#hear.text(rest);
      this.#block = opened;
      rest = start.slice(opened.begin.length);
    }
  }

  /** Reads one line of a block, or what is left of it; gives what stands behind the block. */
  #readBlock(block: OpenBlock, line: string): string {
    const isFence = block.begin === CALL_FENCE;
    if (isFence && line.trim() === CALL_FENCE_END) {
      block.end = line;
      this.#close(block, true);
      return '';
    }
    const at = isFence ? -1 : endOfCall(line);
    block.body += at === -1 ? line : line.slice(0, at);
    if (at === -1) return '';
    block.end = CALL_TAG_END;
    this.#close(block, true);
    return line.slice(at + CALL_TAG_END.length);
  }

  #close({ begin, body, end }: OpenBlock, isClosed: boolean): void {
    this.#block = undefined;
    this.#hear.block({ body, written: (begin + body + end).trimEnd(), isClosed });
  }
}

type OpenBlock = { readonly begin: string; body: string; end: string };

function openBlock(line: string): OpenBlock | undefined {
  if (line.startsWith(CALL_TAG)) return { begin: CALL_TAG, body: '', end: '' };
  const isFence = line.startsWith(CALL_FENCE) && line.charAt(CALL_FENCE.length).trim() === '';
  return isFence ? { begin: CALL_FENCE, body: '', end: '' } : undefined;
}

function headOf(line: string): 'unsure' | 'call' | 'text' {
  if (line !== CALL_FENCE && openBlock(line)) return 'call';
  return CALL_TAG.startsWith(line) || CALL_FENCE.startsWith(line) ? 'unsure' : 'text';
}

/** The code fence that is open after a line, as CommonMark has it. */
function fenceAfter(line: string, open: string | undefined): string | undefined {
  if (open === undefined) return /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line.trimEnd())?.[1];
  const mark = /^ {0,3}(`{3,}|~{3,})$/.exec(line.trimEnd())?.[1];
  return mark?.startsWith(open) ? undefined : open;
}

/** Where a call ends outside of JSON strings, of which none goes over the end of a line; -1 if nowhere. */
function endOfCall(line: string): number {
  let isInside = false;
  for (let at = 0; at < line.length; at++) {
    const character = line[at];
    if (isInside && character === '\\') at++;
    else if (character === '"') isInside = !isInside;
    else if (!isInside && character === CALL_TAG_END[0] && line.startsWith(CALL_TAG_END, at)) return at;
  }
  return -1;
}
