import type { Run } from '../run.ts';
import { jsonOf, textOf } from '../text-of.ts';
import { isTrue } from '../truth.ts';
import { numberArgument, type Filter } from './filter.ts';

/** Filters that make a text out of a value. */
export const TEXT_FILTERS: readonly (readonly [string, Filter])[] = [
  ['upper', ofText((text) => text.toUpperCase())],
  ['lower', ofText((text) => text.toLowerCase())],
  ['capitalize', ofText(capitalized)],
  ['title', { parameters: [], apply: title }],
  ['trim', { parameters: ['chars'], apply: trim }],
  ['replace', { parameters: ['old', 'new', 'count'], apply: replace }],
  ['indent', { parameters: ['width', 'first', 'blank'], apply: indent }],
  ['tojson', { parameters: ['indent'], apply: (value, [width], run) => jsonOf(value, run, jsonIndent(width, run)) }],
];

/** A word, as far as capitals go: what stands between spaces, hyphens and opening brackets. */
const WORD = /[^-\s({[<]+/g;
const MAX_JSON_INDENT = 16;
const LAST_SINGLE_UNIT = 0xff_ff;

function ofText(change: (text: string) => string): Filter {
  return {
    parameters: [],
    apply: (value, _, run) => {
      const text = textOf(value, run);
      run.read(text);
      run.lookInto(text);
      return change(text);
    },
  };
}

/** Each word is a text of its own for a while. */
function title(value: unknown, _: readonly unknown[], run: Run): string {
  const text = textOf(value, run);
  run.spend(1 + text.length + (text.length >> 1));
  return run.changed(text, text.replaceAll(WORD, capitalized));
}

function capitalized(text: string): string {
  const [first = ''] = text;
  return first.toUpperCase() + text.slice(first.length).toLowerCase();
}

function trim(value: unknown, [chars]: readonly unknown[], run: Run): string {
  const text = textOf(value, run);
  run.read(text);
  if (chars === undefined || chars === null) return run.changed(text, text.trim());
  const ends = textOf(chars, run);
  run.lookInto(ends);
  run.spend(ends.length + text.length);
  const outer = new Set(ends);
  const characters = Array.from(text);
  const isInner = (character: string): boolean => !outer.has(character);
  const start = characters.findIndex(isInner);
  const rest = start === -1 ? '' : characters.slice(start, characters.findLastIndex(isInner) + 1).join('');
  return run.changed(text, rest);
}

/** A placeholder in the text is as one character that nothing is like. */
function replace(value: unknown, [before, after, count]: readonly unknown[], run: Run): string {
  const [text, old, replacement] = [textOf(value, run), textOf(before, run), textOf(after, run)];
  run.lookInto(old);
  run.search(text, old);
  const find = finder(text, old, run.placeholdersIn(text));
  const limit = numberArgument(count, Infinity, run);
  const pieces: string[] = [];
  let [from, units] = [0, text.length];
  // An empty text is found before every character and at the end.
  for (let at = find(0); at !== -1 && pieces.length < (limit < 0 ? Infinity : limit);) {
    units += replacement.length;
    run.reserve(units);
    run.spend(1);
    pieces.push(text.slice(from, at));
    from = at + old.length;
    at = old === '' && at >= text.length ? -1 : find(Math.max(from, nextCharacter(text, at)));
  }
  pieces.push(text.slice(from));
  run.make(units);
  return pieces.join(replacement);
}

/** Finds where a text stands next in another without touching any of the spans. It is asked from ever higher offsets. */
function finder(text: string, old: string, spans: readonly (readonly [start: number, end: number])[]) {
  let next = 0;
  return (from: number): number => {
    let at = text.indexOf(old, from);
    while (at !== -1) {
      while ((spans[next]?.[1] ?? Infinity) <= at) next += 1;
      const [start, end] = spans[next] ?? [Infinity, Infinity];
      if (at + old.length <= start) return at;
      at = text.indexOf(old, end);
    }
    return -1;
  };
}

/** Half of a character is never found alone. */
function nextCharacter(text: string, at: number): number {
  return at + ((text.codePointAt(at) ?? 0) > LAST_SINGLE_UNIT ? 2 : 1);
}

/** All lines but the first; empty ones only when told. */
function indent(value: unknown, [width, first, blank]: readonly unknown[], run: Run): string {
  const text = textOf(value, run);
  run.read(text);
  const margin = typeof width === 'string' ? width : spaces(numberArgument(width, 4, run), run);
  const lines = text.split('\n');
  run.make(text.length + margin.length * lines.length);
  run.spend(lines.length);
  const indented = lines.map((line, at) => {
    const stays = at === 0 ? !isTrue(first, run) : line === '' && !isTrue(blank, run);
    return stays ? line : margin + line;
  });
  return run.changed(text, indented.join('\n'));
}

function spaces(count: number, run: Run): string {
  run.reserve(count);
  return ' '.repeat(Math.max(0, Math.floor(count)));
}

function jsonIndent(width: unknown, run: Run): number {
  return Math.max(0, Math.min(MAX_JSON_INDENT, Math.floor(numberArgument(width, 0, run))));
}
