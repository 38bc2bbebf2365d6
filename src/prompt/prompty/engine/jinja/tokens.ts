import { MAX_TOKENS } from '../budgets.ts';
import { errorAt, syntaxError, type Place, type Source } from '../place.ts';
import { findTags, type Tag } from './tags.ts';

/** What a token is: `text` between tags, `begin` and `end` of a tag (value `{{` or `{%`), the rest inside tags. */
export type TokenKind = 'text' | 'begin' | 'end' | 'name' | 'string' | 'number' | 'operator' | 'eof';

/** A token; `value` of a string is without quotes and escapes. */
export interface Token {
  readonly kind: TokenKind;
  readonly value: string;
  readonly at: number;
}

const SPACE = /\s*/y;
const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;
const NUMBER = /\d+(?:_\d+)*(?:\.\d+(?:_\d+)*)?(?:[eE][+-]?\d+)?/y;
const OPERATOR = /\*\*|\/\/|==|!=|<=|>=|[-+*/%~<>=()[\]{},:.|]/y;
const STRING = /'[^'\\]*(?:\\[^][^'\\]*)*'|"[^"\\]*(?:\\[^][^"\\]*)*"/y;

/**
 * Cuts a Jinja2 template into tokens: text as it will be written (whitespace control and raw blocks applied), and the
 * inside of tags. The last token is `eof`.
 *
 * @throws ValueError `template_syntax`, `template_too_large`
 */
export function tokenize(source: Source): readonly Token[] {
  const tokens: Token[] = [];
  for (const piece of findTags(source)) {
    if (piece.kind === 'text') tokens.push({ kind: 'text', value: piece.text, at: piece.at });
    else tokenizeTag(piece, source, tokens);
    checkSize(tokens, source);
  }
  tokens.push({ kind: 'eof', value: 'the end of the template', at: source.text.length });
  return tokens;
}

function tokenizeTag(tag: Tag, source: Source, tokens: Token[]): void {
  tokens.push({ kind: 'begin', value: tag.open, at: tag.at });
  const { text } = source;
  let at = skipSpace(text, tag.inner);
  while (at < tag.innerEnd) {
    const token = tokenAt(source, at) ?? refuseCharacter(source, at);
    tokens.push(token.token);
    checkSize(tokens, source);
    at = skipSpace(text, token.end);
  }
  tokens.push({ kind: 'end', value: tag.open === '{{' ? '}}' : '%}', at: tag.innerEnd });
}

/** Inside of a tag too: one can be as long as the template. */
function checkSize(tokens: readonly Token[], source: Source): void {
  if (tokens.length <= MAX_TOKENS) return;
  const at = tokens.at(-1)?.at ?? 0;
  throw errorAt(
    'template_too_large',
    { source, at },
    `The template has more than ${MAX_TOKENS} words and signs in tags`,
  );
}

type Found = { readonly token: Token; readonly end: number };

function tokenAt(source: Source, at: number): Found | undefined {
  const { text } = source;
  const operator = match(OPERATOR, text, at);
  if (operator !== undefined) return found('operator', operator, at);
  const name = match(NAME, text, at);
  if (name !== undefined) return found('name', name, at);
  const number = match(NUMBER, text, at);
  if (number !== undefined) return found('number', number, at);
  const string = match(STRING, text, at);
  if (string === undefined) return undefined;
  return {
    token: { kind: 'string', value: unescape(string.slice(1, -1), { source, at }), at },
    end: at + string.length,
  };
}

function found(kind: TokenKind, value: string, at: number): Found {
  return { token: { kind, value, at }, end: at + value.length };
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.test(text);
  return SPACE.lastIndex;
}

function refuseCharacter(source: Source, at: number): never {
  throw syntaxError({ source, at }, `Unexpected character ${JSON.stringify(source.text[at])}`);
}

const ESCAPE = /\\(?:U[0-9a-fA-F]{8}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[0-7]{1,3}|[^])/g;
const ESCAPED: ReadonlyMap<string, string> = new Map([
  ['\\n', '\n'],
  ['\\t', '\t'],
  ['\\r', '\r'],
  ['\\b', '\b'],
  ['\\f', '\f'],
  ['\\a', '\x07'],
  ['\\v', '\v'],
  ['\\\n', ''],
  ['\\\\', '\\'],
  ["\\'", "'"],
  ['\\"', '"'],
]);

/** Python's escapes; what is none of them keeps its backslash. @throws ValueError `template_syntax` for half an escape, and names of characters */
function unescape(text: string, place: Place): string {
  return text.includes('\\') ? text.replaceAll(ESCAPE, (escape) => unescaped(escape, place)) : text;
}

const LAST_CODE_POINT = 0x10_ff_ff;

function unescaped(escape: string, place: Place): string {
  const kind = escape.charAt(1);
  if (kind >= '0' && kind <= '7') return String.fromCodePoint(Number.parseInt(escape.slice(1), 8));
  if (!'uUxN'.includes(kind)) return ESCAPED.get(escape) ?? escape;
  const code = Number.parseInt(escape.slice(2), 16);
  if (code <= LAST_CODE_POINT) return String.fromCodePoint(code);
  throw syntaxError(place, `A string has the escape \\${kind}, which is not supported or lacks its digits`);
}
