/** What a search text asks for, to be looked for in a body. */
export type WantedWords = { readonly whole: ReadonlySet<string>; readonly beginnings: readonly string[] };

/** The most characters of a snippet. */
export const MAX_SNIPPET = 400;

/** Words in a snippet, and how many of them stand before the hit. */
const SNIPPET_WORDS = 20;
const WORDS_BEFORE = 6;

/** Hits that are compared: a body may consist of nothing else. */
const MAX_HITS = 200;

const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;

/** The words of an expression that `compileQuery` made: every term of it is a text in quotes. */
export function wantedWords(match: string): WantedWords {
  const whole = new Set<string>();
  const beginnings: string[] = [];
  for (const [, text = '', star] of match.matchAll(/"([^"]*)"(\*?)/g)) {
    const words = Array.from(text.matchAll(WORD), ([word]) => fold(word));
    if (star === '*') beginnings.push(...words.splice(-1));
    for (const word of words) whole.add(word);
  }
  return { whole, beginnings };
}

/**
 * A few words of a text from where most of the wanted ones stand together, else its beginning, on one line. FTS5's own
 * snippets compare every hit with every other: a file that repeats a word would hold up everything for minutes.
 */
export function makeSnippet(text: string, wanted: WantedWords): string {
  const words: Place[] = [];
  const hits: Hit[] = [];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const found = hits.length < MAX_HITS ? matched(fold(word), wanted) : undefined;
    if (found !== undefined) hits.push({ at: words.length, found });
    words.push({ start: index, end: index + word.length });
    const last = hits.at(-1)?.at ?? Number.POSITIVE_INFINITY;
    if (hits.length === MAX_HITS && words.length > last + SNIPPET_WORDS) break;
  }
  return cutOut(text, words, Math.max(0, placeOfMost(hits) - WORDS_BEFORE));
}

type Place = { readonly start: number; readonly end: number };
type Hit = { readonly at: number; readonly found: string };

/** As the index's tokenizer does it: without case and diacritics. */
function fold(word: string): string {
  return word.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

function matched(word: string, { whole, beginnings }: WantedWords): string | undefined {
  return whole.has(word) ? word : beginnings.find((beginning) => word.startsWith(beginning));
}

/** Number of the word from which on most different wanted words follow within a snippet. */
function placeOfMost(hits: readonly Hit[]): number {
  let best = { at: 0, count: 0 };
  for (const [index, { at }] of hits.entries()) {
    const near = hits.slice(index, index + SNIPPET_WORDS).filter((hit) => hit.at < at + SNIPPET_WORDS - WORDS_BEFORE);
    const count = new Set(near.map(({ found }) => found)).size;
    if (count > best.count) best = { at, count };
  }
  return best.at;
}

function cutOut(text: string, words: readonly Place[], first: number): string {
  const start = words[first]?.start ?? 0;
  const next = words[first + SNIPPET_WORDS];
  const end = next === undefined ? text.length : (words[first + SNIPPET_WORDS - 1]?.end ?? start);
  const from = first === 0 ? 0 : start;
  const line = text.slice(from, Math.min(end, start + MAX_SNIPPET)).toWellFormed();
  const isCut = next !== undefined || end > start + MAX_SNIPPET;
  return `${first > 0 ? '…' : ''}${line.replaceAll(/\s+/g, ' ').trim()}${isCut ? '…' : ''}`;
}
