import { escapeJson } from './escape-json.ts';

/** A way in which a secret may be written. */
export type Spelling = {
  readonly text: string;
  /** Source of a regular expression for it, also where its signs are escaped as they need not be. */
  readonly source: string;
  /** Most characters that it takes so. */
  readonly width: number;
};

/** A value as it stands in a text, in JSON, in JSON inside of JSON, and in a URL. */
export function spellingsOf(value: string): readonly string[] {
  const inJson = escapeJson(value);
  return [value, inJson, escapeJson(inJson), encodeURIComponent(value.toWellFormed())];
}

/** What a text is written as; `text` is one of {@link spellingsOf}. */
export function toSpelling(text: string): Spelling {
  return { text, source: sourceOf(text), width: text.replaceAll(new RegExp(SIGN, 'g'), LONGEST_ESCAPE).length };
}

/** Whether a text from an offset on is the beginning of a spelling and no more of it; it may end within an escape. */
export function endsWithin(text: string, at: number, spelling: string): boolean {
  let next = at;
  for (let index = 0; index < spelling.length; index++) {
    if (next === text.length) return true;
    const character = spelling.charAt(index);
    if (text[next] === character) next++;
    else {
      const escape = SIGN.test(character) ? escapeAt(text, next) : undefined;
      if (escape?.isCut) return true;
      if (escape?.character !== character) return false;
      next = escape.end;
    }
  }
  return false;
}

/**
 * Signs that some writers of JSON escape by number, with what is not ASCII: those that mean something to HTML, and `/`, which others
 * escape with a backslash. No backslash: of many in a row it would be tried which ones make an escape.
 */
const SIGN = /["&'+/<=>`]|[^ -~]/;
/** A value with more of them is no key but a file, and found as it is spelled: the engine runs out of stack with some thousands. */
const MOST_SIGNS = 1_000;
/** Of a sign in JSON inside of JSON inside of JSON, where backslashes are doubled twice. */
const LONGEST_ESCAPE = String.raw`\\\\u0000`;

function sourceOf(spelling: string): string {
  const hasMany = spelling.split(SIGN).length > MOST_SIGNS;
  return spelling.replaceAll(/[^\w ]/g, (character, at: number) => {
    const literal = character.replace(/[\\^$.*+?()[\]{}|/-]/, String.raw`\$&`);
    if (hasMany || !SIGN.test(character)) return literal;
    const code = codeOf(character).replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
    const escaped = character === '/' ? `(?:/|u${code})` : `u${code}`;
    // At the beginning all of the backslashes: some of them might leave half an escape.
    return at === 0 ? String.raw`(?:${literal}|(?<!\\)\\+${escaped})` : String.raw`(?:${literal}|\\{1,4}${escaped})`;
  });
}

function codeOf(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, '0');
}

type Escape = { readonly end: number; readonly character: string; readonly isCut: boolean };

/** An escape by number, or of a slash, in a text; `isCut`: the text ends within it. */
function escapeAt(text: string, at: number): Escape | undefined {
  const escape = /\\+(?:u([\dA-Fa-f]{4})|(\/)|(?:u[\dA-Fa-f]{0,3})?$)/y;
  escape.lastIndex = at;
  const found = escape.exec(text);
  if (!found) return undefined;
  const [, code, slash] = found;
  const character = code === undefined ? (slash ?? '') : String.fromCharCode(Number.parseInt(code, 16));
  return { end: escape.lastIndex, character, isCut: character === '' };
}
