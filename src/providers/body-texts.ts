import { endOfString } from '../core/redactor.ts';

/** A text of which a model's answer consists, as it stands in JSON, and where it begins in the body. */
export type BodyText = {
  readonly text: string;
  readonly at: number;
  readonly name: string;
  /** Equal for texts that continue one another: the names around it, and the numbers of choice, block, item and call. */
  readonly place: () => string;
};

/** What the texts are called, in all wire formats. */
const NAMES: ReadonlySet<string> = new Set([
  'text',
  'content',
  'delta',
  'refusal',
  'arguments',
  'partial_json',
  'thinking',
  'reasoning',
  'reasoning_content',
  'summary',
  'token',
]);

/** An object of JSON: the name that leads to it, and its numbers (`index`, `output_index`), which may stand behind its texts. */
type Scope = { readonly outer: Scope | undefined; readonly depth: number; readonly name: string; numbers: string };

/** No wire goes so deep; what is deeper counts as part of what is around it. */
const MAX_DEPTH = 32;

/** `name`: what was named last. */
type Reader = { readonly texts: BodyText[]; scope: Scope; name: string };

/**
 * The texts of an answer in the order of its body: events with JSON in them, or JSON, whole or cut off. What is no JSON spoils
 * its own event at most: no string goes over the end of a line, and each event begins anew.
 */
export function textsIn(body: string): readonly BodyText[] {
  const root: Scope = { outer: undefined, depth: 0, name: '', numbers: '' };
  const reader: Reader = { texts: [], scope: root, name: '' };
  let start = 0;
  for (const line of body.split(/[\r\n]/)) {
    if (line.startsWith('data:')) reader.scope = root;
    readLine(reader, line, start);
    start += line.length + 1;
  }
  return reader.texts;
}

function readLine(reader: Reader, line: string, start: number): void {
  for (let at = 0; at < line.length; at++) {
    const character = line[at];
    if (character === '{') enter(reader);
    else if (character === '}') leave(reader);
    else if (character === '"') at = readString(reader, { line, start, from: at + 1 });
  }
}

function enter(reader: Reader): void {
  const { scope: outer, name } = reader;
  if (outer.depth < MAX_DEPTH) reader.scope = { outer, depth: outer.depth + 1, name, numbers: '' };
}

/** What follows in a list has the same name. */
function leave(reader: Reader): void {
  reader.name = reader.scope.name;
  reader.scope = reader.scope.outer ?? reader.scope;
}

/** A string in a line, behind its quote, and where the line begins in the body. */
type Place = { readonly line: string; readonly start: number; readonly from: number };

/** Reads a string and, if it is a name, what is called so: a text or a number. Returns where its last character stands. */
function readString(reader: Reader, { line, start, from }: Place): number {
  const end = endOfString(line, from);
  const value = /"\s*:\s*(?:(")|(\d+))?/y;
  value.lastIndex = end;
  const [read, quote, number] = value.exec(line) ?? [];
  if (read === undefined) return end;
  const { scope } = reader;
  const name = line.slice(from, end);
  reader.name = name;
  if (number !== undefined && name.endsWith('index')) scope.numbers += ` ${name} ${number}`;
  if (quote === undefined) return end + read.length - 1;
  const at = end + read.length;
  const last = endOfString(line, at);
  if (NAMES.has(name)) {
    reader.texts.push({ text: line.slice(at, last), at: start + at, name, place: () => `${placeOf(scope)}/${name}` });
  }
  return last;
}

function placeOf({ outer, name, numbers }: Scope): string {
  return outer ? `${placeOf(outer)}/${name}${numbers}` : '';
}
