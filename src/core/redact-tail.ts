import { SECRET_STARTS } from './secret-shapes.ts';

/** What is looked for: known values, and a global pattern for them and for what looks like a secret. */
export type Sought = { readonly values: ReadonlySet<string>; readonly secret: RegExp };

/**
 * Up to where the last part of a text may be told, of which nothing has been told yet and more is to come: the rest could be
 * the beginning of a known value or of what looks like a key.
 */
export function safeEnd(tail: string, { values, secret }: Sought): number {
  const run = tail.length - (LAST_RUN.exec(tail)?.[0].length ?? 0);
  const ends = [
    openShape(tail, run),
    openScheme(tail, run),
    openBlock(tail),
    ...SECRET_STARTS.map((start) => openValue(tail, start)),
    ...[...values].map((value) => openValue(tail, value)),
  ];
  const end = Math.min(tail.length, ...ends);
  return end === tail.length ? end : beforeSecret(tail, end, secret);
}

/** Not in the middle of a secret that is there already. */
function beforeSecret(tail: string, end: number, secret: RegExp): number {
  const cut = [...tail.matchAll(secret)].find(({ index, 0: found }) => index < end && end < index + found.length);
  return cut?.index ?? end;
}

const NONE = Number.POSITIVE_INFINITY;

/** The last characters that a key could be made of. */
const LAST_RUN = /(?<![\w.~+/=-])[\w.~+/=-]+$/;
const START = new RegExp(SECRET_STARTS.join('|'));
const SCHEME = /bearer {0,4}$/i;

/** A key that goes up to the end may go on. */
function openShape(tail: string, run: number): number {
  const at = tail.slice(run).search(START);
  return at === -1 ? NONE : run + at;
}

function openScheme(tail: string, run: number): number {
  const from = Math.max(0, run - 10);
  const at = tail.slice(from, run).search(SCHEME);
  return at === -1 ? NONE : from + at;
}

/** The text ends in the middle of the value. */
function openValue(tail: string, value: string): number {
  for (let at = Math.max(0, tail.length - value.length + 1); at < tail.length; at++) {
    if (value.startsWith(tail.slice(at))) return at;
  }
  return NONE;
}

const BEGIN = '-----BEGIN';
const END = '-----END[A-Z0-9 ]*-----';

/** A block whose end is still to come. */
function openBlock(tail: string): number {
  const end = new RegExp(END, 'g');
  for (let begin = tail.indexOf(BEGIN); begin !== -1; begin = tail.indexOf(BEGIN, end.lastIndex)) {
    end.lastIndex = begin;
    if (!end.test(tail)) return begin;
  }
  return NONE;
}
