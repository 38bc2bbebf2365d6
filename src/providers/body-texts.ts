import { endOfString } from '../core/redactor.ts';

/** A text of which a model's answer consists, as it stands in JSON, and where it begins in the body. */
export type BodyText = {
  readonly text: string;
  readonly at: number;
  readonly name: string;
  /** Equal for texts of a name that continue one another: the names around it, and the numbers of choice, block, item and call. */
  readonly place: number;
};

/** What the texts are called, in all wire formats. */
const NAMES: ReadonlySet<string> = new Set([
  'text',
  'content',
  'delta',
  'refusal',
  'arguments',
  'input',
  'transcript',
  'partial_json',
  'thinking',
  'reasoning',
  'reasoning_content',
  'summary',
  'token',
]);

/**
 * An object of JSON: the name that leads to it, and what tells it from others: its numbers (`index`, `output_index`), which may
 * stand behind its texts, or else its `item_id`, which some servers make anew for each frame. `place`: once it was asked for.
 */
type Scope = {
  readonly outer: Scope | undefined;
  readonly depth: number;
  readonly name: string;
  numbers: string;
  item: string;
  place: number | undefined;
};

/** No wire goes so deep; what is deeper counts as part of what is around it. */
const MAX_DEPTH = 32;
/** Characters of a name, of an id and of an object's numbers that count: what has more is no wire's. */
const MAX_NAME = 100;

const [QUOTE, OPEN, CLOSE] = [34, 123, 125];

/** `name`: what was named last. `open`: texts whose places are not known before their event is over. */
type Reader = { open: OpenText[]; scope: Scope; name: string };
type OpenText = Omit<BodyText, 'place'> & { readonly scope: Scope };

/**
 * The texts of an answer in the order of its body: events with JSON in them, or JSON, whole or cut off. What is no JSON spoils
 * its own event at most: no string goes over the end of a line, and each event begins anew.
 */
export function textsIn(body: string): readonly BodyText[] {
  const root: Scope = { outer: undefined, depth: 0, name: '', numbers: '', item: '', place: 0 };
  const reader: Reader = { open: [], scope: root, name: '' };
  const places = new Map<string, number>();
  const texts: BodyText[] = [];
  const settle = (): void => {
    for (const { text, at, name, scope } of reader.open) texts.push({ text, at, name, place: placeOf(scope, places) });
    reader.open = [];
  };
  let start = 0;
  for (const line of body.split(/[\r\n]/)) {
    if (line.startsWith('data:')) {
      settle();
      reader.scope = root;
    }
    readLine(reader, line, start);
    start += line.length + 1;
  }
  settle();
  return texts;
}

function readLine(reader: Reader, line: string, start: number): void {
  for (let at = 0; at < line.length; at++) {
    const sign = line.charCodeAt(at);
    if (sign === QUOTE) at = readString(reader, { line, start, from: at + 1 }) - 1;
    else if (sign === OPEN) enter(reader);
    else if (sign === CLOSE) leave(reader);
  }
}

function enter(reader: Reader): void {
  const { scope: outer, name } = reader;
  if (outer.depth === MAX_DEPTH) return;
  reader.scope = { outer, depth: outer.depth + 1, name, numbers: '', item: '', place: undefined };
}

/** What follows in a list has the same name. */
function leave(reader: Reader): void {
  reader.name = reader.scope.name;
  reader.scope = reader.scope.outer ?? reader.scope;
}

/** A string in a line, behind its quote, and where the line begins in the body. */
type Place = { readonly line: string; readonly start: number; readonly from: number };

/** What stands between a name and its value. */
const COLON = /"\s*:\s*/y;
const DIGITS = /\d{1,9}/y;

/** Reads a string and, if it is a name, what is called so: a text, a number or an id. Returns where to read on. */
function readString(reader: Reader, { line, start, from }: Place): number {
  const end = endOfString(line, from);
  COLON.lastIndex = end;
  if (!COLON.test(line)) return end + 1;
  const { scope } = reader;
  const name = line.slice(from, Math.min(end, from + MAX_NAME));
  reader.name = name;
  const at = COLON.lastIndex + 1;
  if (line[at - 1] !== '"') {
    const number = name.endsWith('index') ? digitsAt(line, at - 1) : '';
    if (number !== '' && scope.numbers.length < MAX_NAME) scope.numbers += ` ${name} ${number}`;
    return at - 1;
  }
  const last = endOfString(line, at);
  if (name === 'item_id') scope.item = line.slice(at, Math.min(last, at + MAX_NAME));
  if (NAMES.has(name)) reader.open.push({ text: line.slice(at, last), at: start + at, name, scope });
  return last + 1;
}

/** None if no number stands there. */
function digitsAt(line: string, at: number): string {
  DIGITS.lastIndex = at;
  return DIGITS.exec(line)?.[0] ?? '';
}

/** A number instead of all the names: to look at it costs the same at any depth. */
function placeOf(scope: Scope, places: Map<string, number>): number {
  scope.place ??= numberOf(scope, places);
  return scope.place;
}

function numberOf({ outer, name, numbers, item }: Scope, places: Map<string, number>): number {
  const key = `${outer ? placeOf(outer, places) : 0}/${name} ${numbers || item}`;
  const known = places.get(key);
  if (known === undefined) places.set(key, places.size + 1);
  return known ?? places.size;
}
