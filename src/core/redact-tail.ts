import { BEFORE_SECRET, SECRET_STARTS } from './secret-shapes.ts';
import { endsWithin, type Spelling } from './secret-spelling.ts';

/** What is looked for: spellings of known values, and a global pattern for them and for what looks like a secret. */
export type Sought = { readonly spellings: readonly Spelling[]; readonly secret: RegExp };

/**
 * Up to where a text may be told, of which everything before `from` has been told and more is to come: the rest could be the
 * beginning of a known value or of what looks like a key.
 */
export function safeEnd(text: string, from: number, { spellings, secret }: Sought): number {
  const run = lastRun(text, from);
  const ends = [
    openShape(text, run),
    openScheme(text, run),
    openBlock(text, from),
    ...SECRET_STARTS.map((start) => openValue(text, asItIs(start), run)).filter((at) => mayBegin(text, at)),
    ...[asItIs(BEGIN), ...spellings].map((spelling) => openValue(text, spelling, from)),
  ];
  const end = beforeEscape(text, { from, end: Math.min(text.length, ...ends) });
  return end === text.length ? end : beforeSecret(text, { from, end }, secret);
}

const NONE = Number.POSITIVE_INFINITY;

/** What a key could be made of, in JSON with its escapes: places of true by character. */
const OF_KEYS = Array.from({ length: 128 }, (_, code) => /[\w.~+/=\\-]/.test(String.fromCharCode(code)));

/** Where the last characters begin that a key could be made of. A pattern would keep its place at each of millions. */
function lastRun(text: string, from: number): number {
  let run = text.length;
  while (run > from && OF_KEYS[text.charCodeAt(run - 1)] === true) run--;
  return run;
}

const START = `${BEFORE_SECRET}(?:${SECRET_STARTS.join('|')})`;
const SCHEME = `${BEFORE_SECRET}bearer {0,4}$`;
/** What {@link BEFORE_SECRET} looks for before a key, as long as its last character is still to come. */
const ESCAPE = /(?:\\|\\u[\dA-Fa-f]{0,3}|\[[\d;]{0,12}|%[\dA-Fa-f]?)$/;

/** A key that goes up to the end may go on. */
function openShape(text: string, run: number): number {
  const start = new RegExp(START, 'g');
  start.lastIndex = run;
  return start.exec(text)?.index ?? NONE;
}

/** The token is still to come, or has begun. */
function openScheme(text: string, run: number): number {
  const scheme = new RegExp(SCHEME, 'gi');
  // Ten characters at most; what stands before them decides whether it is one.
  scheme.lastIndex = Math.max(0, run - 10);
  return scheme.exec(text.slice(0, run))?.index ?? NONE;
}

type Value = Pick<Spelling, 'text' | 'width'>;

function asItIs(text: string): Value {
  return { text, width: text.length };
}

/** The text ends in the middle of the value. */
function openValue(text: string, value: Value, from: number): number {
  for (let at = Math.max(from, text.length - value.width + 1); at < text.length; at++) {
    if (endsWithin(text, at, value.text)) return at;
  }
  return NONE;
}

function mayBegin(text: string, at: number): boolean {
  if (at === NONE) return false;
  const here = new RegExp(BEFORE_SECRET, 'y');
  here.lastIndex = at;
  return here.test(text);
}

const BEGIN = '-----BEGIN';
const END = '-----END[A-Z0-9 ]*-----';

/** A block whose end is still to come. */
function openBlock(text: string, from: number): number {
  const end = new RegExp(END, 'g');
  for (let begin = text.indexOf(BEGIN, from); begin !== -1; begin = text.indexOf(BEGIN, end.lastIndex)) {
    end.lastIndex = begin;
    if (!end.test(text)) return begin;
  }
  return NONE;
}

type Told = { readonly from: number; readonly end: number };

/** Not in the middle of an escape: told apart from it, its last character and the key behind it would be one word. */
function beforeEscape(text: string, { from, end }: Told): number {
  const start = Math.max(from, end - 13);
  const at = text.slice(start, end).search(ESCAPE);
  return at === -1 ? end : start + at;
}

/** Not in the middle of a secret that is there already. */
function beforeSecret(text: string, { from, end }: Told, secret: RegExp): number {
  const untold = text.slice(from).matchAll(secret);
  const cut = [...untold].find(({ index, 0: found }) => from + index < end && end < from + index + found.length);
  return cut ? from + cut.index : end;
}
