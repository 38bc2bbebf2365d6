/** A place where a key may begin: not inside of a word; an escape of JSON, a colour of a terminal and a percent code end one. */
export const BEFORE_SECRET: string = String.raw`(?<!(?<!\\|\\u[\dA-Fa-f]{3}|\[[\d;]{0,12}|%[\dA-Fa-f])[\w-])`;

/** So many of a class and more. The engine keeps no place for each of a `*`, which it does for `{n,}`: millions are no matter. */
function atLeast(count: number, characters: string): string {
  return `${characters}{${count}}${characters}*`;
}

/** Keys that begin with what their issuer has given them. */
const TOKENS = [
  // OpenAI, Anthropic and many that follow them; the older form needs a digit, or a long word would be one.
  String.raw`sk-(?:(?:ant|proj|svcacct|admin|or|lf)-${atLeast(16, String.raw`[\w-]`)}|(?=[A-Za-z]*\d)${atLeast(20, '[A-Za-z0-9]')})`,
  `[sr]k_(?:live|test)_${atLeast(16, '[A-Za-z0-9]')}`,
  String.raw`AIza[\w-]{35}`,
  `gh[opsur]_${atLeast(36, '[A-Za-z0-9]')}`,
  `github_pat_${atLeast(22, String.raw`\w`)}`,
  `glpat-${atLeast(20, String.raw`[\w-]`)}`,
  String.raw`A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Za-z0-9])`,
  `xox[abeoprs]-${atLeast(10, String.raw`[\w-]`)}`,
  `hf_${atLeast(30, '[A-Za-z0-9]')}`,
  `npm_${atLeast(36, '[A-Za-z0-9]')}`,
  // A JSON web token: both parts are objects in base64.
  ['eyJ', 'eyJ', ''].map((begin) => begin + atLeast(8, String.raw`[\w-]`)).join(String.raw`\.`),
];

/** `+`, `-`, `.` and `/` as some writers of JSON escape them; in JSON inside of JSON, which doubles backslashes, as well. */
const ESCAPED = String.raw`\\{1,4}(?:/|u002[BDEFbdef])`;
/** More escapes than a key has. Of these the engine keeps a place for each. */
const MOST_ESCAPES = 10_000;

/** What follows `Bearer`; a word without a digit is no token. The scheme itself stays. */
const BEARER =
  String.raw`(?<scheme>(?:[Bb]earer|BEARER) {1,4})` +
  String.raw`(?=[A-Za-z._~+/-]*(?:${ESCAPED}[A-Za-z._~+/-]*){0,${MOST_ESCAPES}}\d)` +
  String.raw`(?:[\w.~+/-]|${ESCAPED}){16}[\w.~+/-]*(?:${ESCAPED}[\w.~+/-]*){0,${MOST_ESCAPES}}` +
  String.raw`=*(?:\\{1,4}u003[Dd]){0,2}`;

/** Up to its end, or as far as it goes: in a JSON text never over the end of a string, nor over a quote that is escaped as a number. */
const PRIVATE_KEY =
  String.raw`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[^"\\-]*` +
  String.raw`(?:(?:\\{1,4}(?:[nrt/]|u(?!0022)[\dA-Fa-f]{4})|-(?!-))[^"\\-]*){0,${MOST_ESCAPES}}` +
  String.raw`(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----)?`;

/**
 * Sources of regular expressions for what looks like a secret. Each runs in linear time: what may repeat is followed by
 * nothing that could make it try again, or can't begin inside of itself. None matches a quote or half an escape, so that
 * JSON stays JSON.
 */
export const SECRET_SHAPES: readonly string[] = [
  `${BEFORE_SECRET}(?:${TOKENS.join('|')})`,
  `${BEFORE_SECRET}${BEARER}`,
  PRIVATE_KEY,
];

/**
 * One of these stands in everything that {@link SECRET_SHAPES} match. They begin with characters that are rare in events and
 * look back from there: this way looking costs a third.
 */
export const SECRET_HINTS: readonly string[] = [
  '-(?:(?<=sk-|xox[abeoprs]-|lpat-)|BEGIN )',
  '_(?<=gh[opsur]_|hf_|npm_|_pat_|k_live_|k_test_)',
  'A(?:Iza|KIA|SIA)',
  'J(?<=eyJ)',
  '[bB]earer |BEARER ',
];

/** How such secrets begin, as long as nothing can be said of the rest. */
export const SECRET_STARTS: readonly string[] = [
  'sk-',
  ...['sk', 'rk'].flatMap((kind) => [`${kind}_live_`, `${kind}_test_`]),
  'AIza',
  ...['o', 'p', 's', 'u', 'r'].map((kind) => `gh${kind}_`),
  'github_pat_',
  'glpat-',
  'AKIA',
  'ASIA',
  ...['a', 'b', 'e', 'o', 'p', 'r', 's'].map((kind) => `xox${kind}-`),
  'hf_',
  'npm_',
  'eyJ',
  'Bearer',
  'bearer',
  'BEARER',
];
