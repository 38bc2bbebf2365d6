import { syntaxError, type Source } from '../place.ts';

/** Who is told of what a template consists of, in order. */
export interface PieceReader {
  /** Text between tags as it will be written: raw blocks are resolved, whitespace control (`-`) is applied. */
  readonly text: (text: string, at: number) => void;
  /** A tag whose `{{` or `{%` stands at a place; returns the place behind its end. */
  readonly tag: (at: number) => number;
}

const RAW = /\{%[-+]?\s*raw\s*(-?)%\}/y;
const END_RAW = /\{%([-+]?)\s*endraw\s*([-+]?)%\}/g;

/** Finds the texts and tags of a template. Comments are left out. */
export function readPieces(source: Source, reader: PieceReader): void {
  const { text } = source;
  let at = 0;
  let trimStart = false;
  for (;;) {
    const open = findOpening(text, at);
    const piece = trimmed(text.slice(at, open), trimStart, text[open + 2] === '-');
    if (piece !== '') reader.text(piece, at);
    if (open === text.length) return;
    const raw = text[open + 1] === '%' ? rawAt(source, open) : undefined;
    if (raw !== undefined) {
      if (raw.text !== '') reader.text(raw.text, open);
      at = raw.end;
    } else {
      at = text[open + 1] === '#' ? endOfComment(source, open) : reader.tag(open);
    }
    trimStart = text[at - 3] === '-';
  }
}

/** Where the next `{{`, `{%` or `{#` stands, or the end of the text. */
function findOpening(text: string, from: number): number {
  for (let at = text.indexOf('{', from); at !== -1; at = text.indexOf('{', at + 1)) {
    const next = text[at + 1];
    if (next === '{' || next === '%' || next === '#') return at;
  }
  return text.length;
}

function trimmed(text: string, start: boolean, end: boolean): string {
  const tail = start ? text.trimStart() : text;
  return end ? tail.trimEnd() : tail;
}

function search(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function rawAt(source: Source, at: number): { readonly text: string; readonly end: number } | undefined {
  const opening = search(RAW, source.text, at);
  if (opening === null) return undefined;
  const begin = at + opening[0].length;
  const closing = search(END_RAW, source.text, begin);
  if (closing === null) throw syntaxError({ source, at }, 'The raw block is not closed by endraw');
  const text = trimmed(source.text.slice(begin, closing.index), opening[1] === '-', closing[1] === '-');
  return { text, end: closing.index + closing[0].length };
}

function endOfComment(source: Source, at: number): number {
  const end = source.text.indexOf('#}', at + 2);
  if (end === -1) throw syntaxError({ source, at }, 'The comment is not closed by #}');
  return end + 2;
}
