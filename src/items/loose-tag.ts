import { decodeEntities } from './xml-entities.ts';

/** Finds the next occurrence of a text from an offset that never goes back; each text is searched once over all calls. */
export type Finder = (needle: string, from: number) => number;

/** A start tag read from prose, or the offset at which reading it stopped. */
export type LooseTag =
  | {
      readonly ok: true;
      readonly attributes: ReadonlyMap<string, string>;
      readonly selfClosing: boolean;
      readonly end: number;
    }
  | { readonly ok: false; readonly stoppedAt: number; readonly sawAttribute: boolean };

/** Makes a {@link Finder}: it remembers the last hit, so that many failing searches cost one pass over the text. */
export function createFinder(text: string): Finder {
  const hits = new Map<string, number>();
  return (needle, from) => {
    const known = hits.get(needle);
    if (known !== undefined && (known === -1 || known >= from)) return known;
    const hit = text.indexOf(needle, from);
    hits.set(needle, hit);
    return hit;
  };
}

/**
 * Reads the attributes of a start tag from just after its name up to `>` or `/>`. Gives up at the first thing that is
 * no attribute, as prose often has `<` in it. What was read is never read again by a caller that goes on from there.
 */
export function readLooseTag(text: string, from: number, find: Finder): LooseTag {
  const attributes = new Map<string, string>();
  let at = from;
  for (;;) {
    at = skipSpace(text, at);
    if (text[at] === '>') return { ok: true, attributes, selfClosing: false, end: at + 1 };
    if (text.startsWith('/>', at)) return { ok: true, attributes, selfClosing: true, end: at + 2 };
    const attribute = readAttribute(text, at, find);
    if (typeof attribute === 'number') return { ok: false, stoppedAt: attribute, sawAttribute: attributes.size > 0 };
    attributes.set(attribute.name, attribute.value);
    at = attribute.end;
  }
}

/** Entities decoded where they are known; everything else stands as written. */
export function decodeLoosely(text: string): string {
  return decodeEntities(text, (entity) => entity);
}

/** The attribute at an offset, or the offset at which it turned out to be none. */
function readAttribute(text: string, start: number, find: Finder): Attribute | number {
  const name = /[A-Za-z_:][\w:.-]*/y;
  name.lastIndex = start;
  const found = name.exec(text)?.[0];
  if (found === undefined) return start;
  const equals = skipSpace(text, start + found.length);
  if (text[equals] !== '=') return equals;
  const open = skipSpace(text, equals + 1);
  const mark = text[open];
  if (mark !== '"' && mark !== "'") return open;
  const close = find(mark, open + 1);
  if (close === -1) return open + 1;
  return { name: found, value: decodeLoosely(text.slice(open + 1, close)), end: close + 1 };
}

type Attribute = { readonly name: string; readonly value: string; readonly end: number };

function skipSpace(text: string, start: number): number {
  let at = start;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at++;
  return at;
}
