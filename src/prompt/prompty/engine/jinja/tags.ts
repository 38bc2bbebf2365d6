import { syntaxError, type Source } from '../place.ts';

/** `{{ … }}` or `{% … %}` in a template, its inside from `inner` to `innerEnd` without whitespace control. */
export interface Tag {
  readonly kind: 'tag';
  readonly open: '{{' | '{%';
  readonly at: number;
  readonly inner: number;
  readonly innerEnd: number;
}

/** Text between tags as it will be written. */
export interface TextPiece {
  readonly kind: 'text';
  readonly text: string;
  readonly at: number;
}

const OPENING = /\{[{%#]/g;
const RAW = /\{%[-+]?\s*raw\s*(-?)%\}/y;
const END_RAW = /\{%([-+]?)\s*endraw\s*([-+]?)%\}/g;

/** Yields texts and tags in order; comments and raw blocks are resolved, whitespace control (`-`) is applied. */
export function* findTags(source: Source): Generator<Tag | TextPiece> {
  const { text } = source;
  let at = 0;
  let trimStart = false;
  for (;;) {
    const open = search(OPENING, text, at)?.index ?? text.length;
    const raw = text.startsWith('{%', open) ? rawAt(source, open) : undefined;
    const piece = trimmed(text.slice(at, open), trimStart, text[open + 2] === '-');
    if (piece !== '') yield { kind: 'text', text: piece, at };
    if (open === text.length) return;
    if (raw !== undefined) {
      if (raw.text !== '') yield { kind: 'text', text: raw.text, at: open };
      at = raw.end;
    } else if (text[open + 1] === '#') {
      at = endOfComment(source, open);
    } else {
      const tag = tagAt(source, open);
      yield tag;
      at = tag.innerEnd + (isSign(text[tag.innerEnd]) ? 3 : 2);
    }
    trimStart = text[at - 3] === '-';
  }
}

function trimmed(text: string, start: boolean, end: boolean): string {
  const tail = start ? text.trimStart() : text;
  return end ? tail.trimEnd() : tail;
}

function search(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function isSign(char: string | undefined): boolean {
  return char === '-' || char === '+';
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

/** What can hide a tag's end: strings; and brackets of maps hide `}}`. */
const INSIDE = /'[^'\\]*(?:\\[^][^'\\]*)*'|"[^"\\]*(?:\\[^][^"\\]*)*"|['"{}]|%\}/g;

function tagAt(source: Source, at: number): Tag {
  const { text } = source;
  const open = text.startsWith('{{', at) ? '{{' : '{%';
  const inner = at + (isSign(text[at + 2]) ? 3 : 2);
  let brackets = 0;
  for (let found = search(INSIDE, text, inner); found !== null; found = INSIDE.exec(text)) {
    const [token] = found;
    if (token === '{') brackets += 1;
    else if (token === '}' && brackets > 0) brackets -= 1;
    else if (token === '%}' ? open === '{%' : token === '}' && open === '{{' && text[found.index + 1] === '}') {
      return { kind: 'tag', open, at, inner, innerEnd: found.index - (isSignBefore(text, found.index, inner) ? 1 : 0) };
    } else if (token === "'" || token === '"') {
      throw syntaxError({ source, at: found.index }, 'The string is not closed');
    }
  }
  throw syntaxError({ source, at }, `The tag is not closed by ${open === '{{' ? '}}' : '%}'}`);
}

/** `+` is a sign before `%}` alone. */
function isSignBefore(text: string, end: number, inner: number): boolean {
  return end > inner && (text[end - 1] === '-' || (text[end - 1] === '+' && text[end] === '%'));
}
