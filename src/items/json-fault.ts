import { lineAt } from './line-counter.ts';
import { MAX_JSON_DEPTH } from './safe-json.ts';

/** A text, a mark, or a word of anything else: numbers, `true`, what should not be there. */
const TOKENS = /"(?:[^"\\]+|\\.)*"?|[{}[\]:,]|[^\s"{}[\]:,]+/gs;
const ACCEPTED = /^(?:"|[{}[\]:,]|(?:true|false|null)$|-?\d)/;

/**
 * The line, counted from 1, of what is wrong with a JSON text that its parser refuses without a place, or takes and should
 * not: a word that is no value, a key `__proto__` or one that is twice in its object, a level too many, the end that comes
 * too soon. One pass; undefined if it is none of these.
 */
export function lineOfJsonFault(json: string): number | undefined {
  /** The keys of every object that is open; a list has none. */
  const open: (Set<string> | undefined)[] = [];
  let text = '';
  for (const { 0: token, index } of json.matchAll(TOKENS)) {
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : undefined);
    else if (token === '}' || token === ']') open.pop();
    const isFault = token === ':' ? isRefused(text, open.at(-1)) : !ACCEPTED.test(token);
    if (isFault || open.length > MAX_JSON_DEPTH) return lineAt(json, index);
    text = token;
  }
  return open.length > 0 || text === '' ? lineAt(json, json.length) : undefined;
}

/** Whether a key can't be added to an object; if it can, it is. */
function isRefused(literal: string, keys: Set<string> | undefined): boolean {
  const key = keyOf(literal);
  if (key === '__proto__' || keys?.has(key) === true) return true;
  keys?.add(key);
  return false;
}

function keyOf(literal: string): string {
  return literal
    .slice(1, -1)
    .replaceAll(ESCAPES, (written, hex: string | undefined, letter: string | undefined) =>
      hex === undefined ? (LETTERS.get(letter) ?? written.slice(1)) : String.fromCharCode(Number.parseInt(hex, 16)),
    );
}

/** What may spell a character in another way; of two backslashes the second begins nothing. */
const ESCAPES = /\\(?:u([\da-fA-F]{4})|(.))/gs;
const LETTERS: ReadonlyMap<string | undefined, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);
