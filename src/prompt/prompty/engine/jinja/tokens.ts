import { MAX_TOKENS } from '../budgets.ts';
import { errorAt, syntaxError, type Place, type Source } from '../place.ts';
import { readPieces } from './tags.ts';

/** What a token is: `text` between tags, `begin` and `end` of a tag (value `{{` or `{%`), the rest inside tags. */
export type TokenKind = 'text' | 'begin' | 'end' | WordKind | 'eof';

type WordKind = 'name' | 'string' | 'number' | 'operator';

/** A token, which is a place as well; `value` of a string is without quotes and escapes. */
export interface Token extends Place {
  readonly kind: TokenKind;
  readonly value: string;
}

/**
 * Cuts a Jinja2 template into tokens: text as it will be written (whitespace control and raw blocks applied), and the
 * inside of tags. The last token is `eof`.
 *
 * @throws ValueError `template_syntax`, `template_too_large`
 */
export function tokenize(source: Source): readonly Token[] {
  const tokens: Token[] = [];
  readPieces(source, {
    text: (value, at) => addToken(tokens, { kind: 'text', value, at, source }),
    tag: (at) => readTag(source, at, tokens),
  });
  tokens.push({ kind: 'eof', value: 'the end of the template', at: source.text.length, source });
  return tokens;
}

/** Inside of a tag too: one can be as long as the template. */
function addToken(tokens: Token[], token: Token): void {
  tokens.push(token);
  if (tokens.length <= MAX_TOKENS) return;
  throw errorAt('template_too_large', token, `The template has more than ${MAX_TOKENS} words and signs in tags`);
}

/** Adds the tokens of a tag, and returns where it ends. In a map `}}` is no end of a tag. */
function readTag(source: Source, begin: number, tokens: Token[]): number {
  const { text } = source;
  const isBlock = text[begin + 1] === '%';
  const close = isBlock ? '%}' : '}}';
  tokens.push({ kind: 'begin', value: isBlock ? '{%' : '{{', at: begin, source });
  let brackets = 0;
  let at = skipSpace(text, begin + (text[begin + 2] === '-' || text[begin + 2] === '+' ? 3 : 2));
  while (at < text.length) {
    const sign = text[at] === '-' || (isBlock && text[at] === '+') ? 1 : 0;
    if ((isBlock || brackets === 0) && text.startsWith(close, at + sign)) {
      addToken(tokens, { kind: 'end', value: close, at, source });
      return at + sign + close.length;
    }
    if (text[at] === '{') brackets += 1;
    else if (text[at] === '}' && brackets > 0) brackets -= 1;
    const end = readWord(source, at, tokens);
    // A tag that is closed nowhere is what is wrong, not the text that was taken for its inside.
    if (end === at && !isQuote(text[at]) && !text.includes(close, at)) break;
    if (end === at) throw unexpected(source, at);
    at = skipSpace(text, end);
  }
  throw syntaxError({ source, at: begin }, `The tag is not closed by ${close}`);
}

const SPACE = /\s*/y;
const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;
/** Behind a `.` it has no fraction: `a.0.1` is an element of an element. */
const NUMBER = /(?<!\.)\d+(?:_\d+)*(?:\.\d+(?:_\d+)*)?(?:[eE][+-]?\d+)?|\d+(?:_\d+)*/y;
const OPERATOR = /\*\*|\/\/|==|!=|<=|>=|[-+*/%~<>=()[\]{},:.|]/y;
const STRING = /'[^'\\]*(?:\\[^][^'\\]*)*'|"[^"\\]*(?:\\[^][^"\\]*)*"/y;

/** Adds the word or sign at a place, and returns where it ends; here, if there is none. */
function readWord(source: Source, at: number, tokens: Token[]): number {
  const { text } = source;
  const kind = kindAt(text.charCodeAt(at));
  const end = kind === 'name' ? endOfName(text, at) : endOf(PATTERNS[kind], text, at);
  if (end === at) return at;
  const value = kind === 'string' ? unescape(text.slice(at + 1, end - 1), { source, at }) : text.slice(at, end);
  addToken(tokens, { kind, value, at, source });
  return end;
}

const PATTERNS: Readonly<Record<Exclude<WordKind, 'name'>, RegExp>> = {
  string: STRING,
  number: NUMBER,
  operator: OPERATOR,
};

/** What a token is by its first character, if it is one. */
function kindAt(code: number): WordKind {
  if (isDigit(code)) return 'number';
  if (isNamePart(code) || code > LAST_ASCII) return 'name';
  return code === DOUBLE_QUOTE || code === SINGLE_QUOTE ? 'string' : 'operator';
}

const [SPACE_CODE, DOUBLE_QUOTE, SINGLE_QUOTE, UNDERSCORE, LAST_ASCII] = [0x20, 0x22, 0x27, 0x5f, 0x7f];

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Of the letters, digits and underscores of ASCII. */
function isNamePart(code: number): boolean {
  const letter = code | SPACE_CODE;
  return (letter >= 0x61 && letter <= 0x7a) || isDigit(code) || code === UNDERSCORE;
}

/** Nearly all names are ASCII, and need no pattern. */
function endOfName(text: string, at: number): number {
  let end = at;
  while (isNamePart(text.charCodeAt(end))) end += 1;
  return text.charCodeAt(end) > LAST_ASCII ? endOf(NAME, text, at) : end;
}

/** Where what a pattern matches here ends; here, if it does not match. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === SPACE_CODE) at += 1;
  const code = text.charCodeAt(at);
  return code > SPACE_CODE && code <= LAST_ASCII ? at : endOf(SPACE, text, at);
}

function isQuote(char: string | undefined): boolean {
  return char === '"' || char === "'";
}

function unexpected(source: Source, at: number): Error {
  const char = source.text.charAt(at);
  const message = isQuote(char) ? 'The string is not closed' : `Unexpected character ${JSON.stringify(char)}`;
  return syntaxError({ source, at }, message);
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
