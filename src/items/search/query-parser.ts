import { malformed, type QueryToken, readQueryWords } from './query-words.ts';

/** Deepest nesting of parentheses. */
const MAX_DEPTH = 16;

/**
 * Translates a search text into an expression of FTS5. Words must all occur; `OR` between words, `NOT word` and `-word`,
 * parentheses, "exact phrases" and `beginning*` do what they do elsewhere; `AND` may be written. Only capitals make an
 * operator. `NOT` binds closest, then `AND`, then `OR`. Nothing of the text becomes syntax by itself.
 *
 * @returns undefined for an empty text and for a lone `*`: everything is meant
 * @throws SkeinError `invalid_argument` saying what is wrong and at which character
 */
export function compileQuery(text: string): string | undefined {
  if (/^[\s\p{Cc}]*(?:\*[\s\p{Cc}]*)?$/u.test(text)) return undefined;
  const reader = { tokens: readQueryWords(text), next: 0, end: text.length };
  const expression = readAlternatives(reader, 0);
  const rest = reader.tokens[reader.next];
  if (rest !== undefined) throw malformed('there is no "(" for this ")"', rest.at);
  if (expression === undefined) throw malformed('there is no letter or digit to search for', 0);
  return expression;
}

type Reader = { readonly tokens: readonly QueryToken[]; next: number; readonly end: number };

/** An expression of FTS5, or undefined if nothing in it can be searched for. */
type Expression = string | undefined;

function readAlternatives(reader: Reader, depth: number): Expression {
  const parts = [readTogether(reader, depth)];
  while (takeIf(reader, 'OR')) parts.push(readTogether(reader, depth));
  return joined(parts, 'OR');
}

/** What must all occur, without what must not. */
function readTogether(reader: Reader, depth: number): Expression {
  const wanted: Expression[] = [];
  const unwanted: Expression[] = [];
  const at = positionOf(reader);
  do {
    const excluded = takeIf(reader, 'NOT');
    (excluded ? unwanted : wanted).push(readOne(reader, depth));
  } while (takeIf(reader, 'AND') || !endsGroup(reader));
  const without = joined(unwanted, 'OR');
  const expression = joined(wanted, 'AND');
  if (without === undefined) return expression;
  if (expression === undefined) throw malformed('it only says what to leave out; add a word to search for', at);
  return `(${expression} NOT ${without})`;
}

function readOne(reader: Reader, depth: number): Expression {
  const token = reader.tokens[reader.next++];
  if (token === undefined) throw malformed('a word is missing at the end', reader.end);
  if (token.kind === 'term') return token.fts;
  if (token.kind !== '(') throw malformed(`a word is missing before "${token.kind}"`, token.at);
  if (depth >= MAX_DEPTH) throw malformed(`parentheses are nested deeper than ${MAX_DEPTH}`, token.at);
  const inside = readAlternatives(reader, depth + 1);
  if (!takeIf(reader, ')')) throw malformed('this "(" is not closed', token.at);
  return inside;
}

function takeIf(reader: Reader, kind: QueryToken['kind']): boolean {
  if (reader.tokens[reader.next]?.kind !== kind) return false;
  reader.next++;
  return true;
}

function endsGroup({ tokens, next }: Reader): boolean {
  const kind = tokens[next]?.kind;
  return kind === undefined || kind === 'OR' || kind === ')';
}

function positionOf({ tokens, next, end }: Reader): number {
  return tokens[next]?.at ?? end;
}

/** What is said twice counts once: FTS5 compares the places of every phrase with those of every other. */
function joined(parts: readonly Expression[], operator: 'AND' | 'OR'): Expression {
  const searchable = [...new Set(parts)].filter((part) => part !== undefined);
  return searchable.length > 1 ? `(${searchable.join(` ${operator} `)})` : searchable[0];
}
