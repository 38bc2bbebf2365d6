import { createRedactor, LEAST_SECRET, REDACTED, type Redactor } from '../../core/redactor.ts';
import { spellingsOf } from '../../core/secret-spelling.ts';

/** Takes secrets that it was told out of texts, numbers of JSON among it, and what looks like a key. */
export interface KnownSecrets extends Pick<Redactor, 'text'> {
  /** Adds values; those with fewer than 8 characters are left out. */
  add(values: readonly string[]): void;
}

/**
 * Makes one that keeps `most` values and forgets the oldest, for what lives as long as the process; or all of them. Values may be
 * of any length, certificates or whole files: in one regular expression 2,000 of 1,000 characters take seconds to compile, and
 * 10,000 of each are more than V8 survives. Nothing is made of a value before a text is asked about, so where nobody traces, it
 * costs its place.
 *
 * A text is gone through once, however many values there are; where it begins as some of them do, a few of those are compared
 * with it, as many as halvings find the right one among them.
 */
export function createKnownSecrets(most: number = Number.POSITIVE_INFINITY): KnownSecrets {
  const known = new Set<string>();
  const shapes = createRedactor();
  let find: Finder | undefined;
  return {
    add(values) {
      for (const value of values) {
        if (value.length < LEAST_SECRET) continue;
        if (!known.delete(value)) find = undefined;
        known.add(value);
      }
      for (const oldest of known) {
        if (known.size <= most) break;
        known.delete(oldest);
      }
    },
    text(given) {
      find ??= finderOf(known);
      return withoutSpans(given, [...find(given), ...shapes.spans(given)]);
    },
  };
}

type Span = readonly [start: number, end: number];
type Finder = (text: string) => readonly Span[];

/** Finds values by their first characters: the hash of four says where one may begin, eight which ones. */
function finderOf(values: ReadonlySet<string>): Finder {
  const starts = new Uint8Array(HASHES);
  const byStart = new Map<string, Alike>();
  const sorted = [...new Set([...values].flatMap(spellingsOf).flatMap(slashesOf))].toSorted();
  for (const [start, alike] of Map.groupBy(sorted, (value) => value.slice(0, LEAST_SECRET))) {
    starts[hashAt(start, 0)] = 1;
    byStart.set(start, { sorted: alike, shorter: shorterOnes(alike) });
  }
  return (text) => {
    const spans: Span[] = [];
    for (let at = 0; at + LEAST_SECRET <= text.length; at += 1) {
      if (starts[hashAt(text, at)] === 0) continue;
      const alike = byStart.get(text.slice(at, at + LEAST_SECRET));
      const value = alike && longestAt(alike, text, at);
      if (value !== undefined) spans.push([at, at + value.length]);
    }
    return spans;
  };
}

/** A spelling, and the same as writers of JSON have it that escape slashes. */
function slashesOf(spelling: string): readonly string[] {
  return ['/', String.raw`\/`, String.raw`\\/`].map((slash) => spelling.replaceAll('/', slash));
}

/** Values with one beginning, in order; and of each that begins with another the longest such. */
type Alike = { readonly sorted: readonly string[]; readonly shorter: ReadonlyMap<string, string> };

function shorterOnes(sorted: readonly string[]): ReadonlyMap<string, string> {
  const shorter = new Map<string, string>();
  let last: string | undefined;
  for (const value of sorted) {
    while (last !== undefined && !value.startsWith(last)) last = shorter.get(last);
    if (last !== undefined) shorter.set(value, last);
    last = value;
  }
  return shorter;
}

/** The last value that is not behind the text in order begins with each that the text has there. */
function longestAt({ sorted, shorter }: Alike, text: string, at: number): string | undefined {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const value = sorted[middle] ?? '';
    if (value <= text.slice(at, at + value.length)) from = middle + 1;
    else to = middle;
  }
  let found = sorted[from - 1];
  while (found !== undefined && !text.startsWith(found, at)) found = shorter.get(found);
  return found;
}

const HASHES = 65_536;

/** Of four characters of a text. */
function hashAt(text: string, at: number): number {
  const start = text.charCodeAt(at) ^ (text.charCodeAt(at + 1) << 4);
  return (start ^ (text.charCodeAt(at + 2) << 8) ^ (text.charCodeAt(at + 3) << 12)) & (HASHES - 1);
}

/** Spans that share characters become one, so that nothing is left of a key that has another secret inside. */
function withoutSpans(text: string, spans: readonly Span[]): string {
  let clean = '';
  let told = 0;
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
    if (start >= told) clean += text.slice(told, start) + REDACTED;
    told = Math.max(told, end);
  }
  return clean + text.slice(told);
}
