import { SkeinError } from '../../core/errors.ts';

/** A piece of a search text; `at` counts characters from 0. A term without any letter or digit has `fts` undefined. */
export type QueryToken =
  | { readonly kind: 'term'; readonly fts: string | undefined; readonly at: number }
  | { readonly kind: '(' | ')' | 'AND' | 'OR' | 'NOT'; readonly at: number };

/** Bound of a search text: more than a person or a model needs, little enough to be answered at once. */
export const MAX_QUERY_LENGTH = 1000;
/** Bound of the words in it. */
const MAX_WORDS = 64;
/** Bound of the words that stand for all that begin so: each may cost as much as thousands of others. */
const MAX_BEGINNINGS = 16;

/** What the index's tokenizer keeps; everything else only separates words. */
const SEARCHABLE = /[\p{L}\p{N}\p{Co}]/u;
const WORDS = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
const ENDS_SEARCHABLE = /[\p{L}\p{N}\p{M}\p{Co}]$/u;

/** A piece of text from a position on: space, phrase, parenthesis, or a word up to one of those. */
const PIECES = /(?<space>[\s\p{Cc}]+)|(?<phrase>"[^"]*"?\*?)|(?<paren>[()])|(?<word>[^\s\p{Cc}"()]+)/gu;

/**
 * Cuts a search text into its pieces.
 *
 * @throws SkeinError `invalid_argument` saying what is wrong and at which character
 */
export function readQueryWords(text: string): QueryToken[] {
  if (text.length > MAX_QUERY_LENGTH) {
    throw new SkeinError(
      'invalid_argument',
      `The search text has ${text.length} characters; ${MAX_QUERY_LENGTH} are accepted`,
    );
  }
  const tokens: QueryToken[] = [];
  for (const { groups, index } of text.matchAll(PIECES)) {
    const { phrase, paren, word } = groups ?? {};
    if (phrase !== undefined) tokens.push(readPhrase(phrase, index));
    else if (paren !== undefined) tokens.push({ kind: paren === '(' ? '(' : ')', at: index });
    else if (word !== undefined) tokens.push(...readWord(word, index, text));
  }
  requireFew(tokens);
  return tokens;
}

/** The error about a search text, with the place in it. */
export function malformed(reason: string, at: number): SkeinError {
  return new SkeinError('invalid_argument', `The search text can't be understood at character ${at + 1}: ${reason}`, {
    detail: { position: at + 1 },
  });
}

function readPhrase(raw: string, at: number): QueryToken {
  const end = raw.lastIndexOf('"');
  if (end === 0) throw malformed('this quote is not closed', at);
  return term(raw.slice(1, end), { prefix: raw.endsWith('*'), at });
}

function readWord(word: string, at: number, text: string): QueryToken[] {
  if (word === 'AND' || word === 'OR' || word === 'NOT') return [{ kind: word, at }];
  if (!isExclusion(word, at, text)) return [readTerm(word, at)];
  return [{ kind: 'NOT', at }, ...(word === '-' ? [] : [readTerm(word.slice(1), at + 1)])];
}

/** `-word`, `-"a phrase"` and `-(a group)` are left out; a lone dash, `--option` and what follows a quote are not. */
function isExclusion(word: string, at: number, text: string): boolean {
  if (!word.startsWith('-') || word.startsWith('--') || /[")]/.test(text[at - 1] ?? '')) return false;
  return word !== '-' || /["(]/.test(text[at + 1] ?? '');
}

function readTerm(word: string, at: number): QueryToken {
  const star = word.indexOf('*');
  if (star !== -1 && (star === 0 || star < word.length - 1))
    throw malformed('"*" stands only at the end of a word', at + star);
  return term(star === -1 ? word : word.slice(0, -1), { prefix: star !== -1, at });
}

/** As a string of FTS5: its tokenizer makes a phrase of `rye/file-system/read`. After `read/`, `*` adds nothing. */
function term(text: string, { prefix, at }: { prefix: boolean; at: number }): QueryToken {
  if (!SEARCHABLE.test(text)) return { kind: 'term', fts: undefined, at };
  const plain = text.replaceAll(/["\p{Cc}]/gu, ' ');
  return { kind: 'term', fts: `"${plain}"${prefix && ENDS_SEARCHABLE.test(plain) ? '*' : ''}`, at };
}

/** Words, not terms: what a phrase costs goes by its words, and a long id is a phrase. */
function requireFew(tokens: readonly QueryToken[]): void {
  const terms = tokens.filter((token) => token.kind === 'term');
  const lengths = terms.map(({ fts, at }) => ({ at, count: fts?.match(WORDS)?.length ?? 1 }));
  requireAtMost(lengths, MAX_WORDS, 'words');
  const beginnings = terms.filter(({ fts }) => fts?.endsWith('*')).map(({ at }) => ({ at, count: 1 }));
  requireAtMost(beginnings, MAX_BEGINNINGS, 'words that end in "*"');
}

function requireAtMost(terms: readonly { at: number; count: number }[], max: number, what: string): void {
  let sum = 0;
  let surplus: number | undefined;
  for (const { at, count } of terms) {
    sum += count;
    if (sum > max) surplus ??= at;
  }
  if (surplus !== undefined) throw malformed(`it has ${sum} ${what}; ${max} are accepted`, surplus);
}
