/**
 * What a text says as JSON, for values that go on to somebody else; undefined if it is none. A whole number, written as one, that
 * would become another, or one too large for a number, is a text of its digits, wherever it stands: it is an id, most often, and
 * with other digits that of something else.
 */
export function exactJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    // Not JSON.
    return undefined;
  }
}

/** The same, for whoever says what is wrong. Throws as `JSON.parse` does. */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return MANY_DIGITS.test(text) ? JSON.parse(withDigitsQuoted(text)) : value;
}

/** Only these are worth a second look: where a number can stand, since texts have many digits as well, such as ids and base64. */
const MANY_DIGITS = /(?:^|[\s:,[])-?(?:\d{16}|\d[\d.]*[eE]\+?\d{3})/;
/** Not a whole text at once: for a long one of many escapes that takes more stack than there is. */
const TOKEN = /\\.|"|-?\d[\d.eE+-]*/g;
const WHOLE = /^-?\d+$/;

/** `json` is valid: outside of texts there are numbers, and no backslashes. */
function withDigitsQuoted(json: string): string {
  let isInText = false;
  return json.replace(TOKEN, (token) => {
    if (token === '"') isInText = !isInText;
    else if (!isInText && losesDigits(token)) return `"${token}"`;
    return token;
  });
}

/** Whatever a number can hold is one, however it is written: whoever compares it relies on it. */
export function losesDigits(number: string): boolean {
  const value = Number(number);
  if (!Number.isFinite(value)) return true;
  return !Number.isSafeInteger(value) && WHOLE.test(number) && String(value) !== number;
}
