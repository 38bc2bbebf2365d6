import { NotLiteral } from './constants.ts';

/** A place in a source, moved forward by its readers. */
export type SourceCursor = { readonly text: string; at: number };

/** Moves past a character if it stands here. */
export function take(cursor: SourceCursor, char: string): boolean {
  if (cursor.text[cursor.at] !== char) return false;
  cursor.at++;
  return true;
}

/** How the entries of a list are read. */
type Entries = { readonly closing: string; readonly skipSpace: () => void; readonly readEntry: () => void };

/** Reads what stands between brackets, from the opening one: entries with commas between them; true if one is behind the last. */
export function readEntries(cursor: SourceCursor, { closing, skipSpace, readEntry }: Entries): boolean {
  cursor.at++;
  for (let comma = true; ; comma = take(cursor, ',')) {
    skipSpace();
    if (take(cursor, closing)) return comma;
    if (!comma) throw unexpected(cursor);
    readEntry();
    skipSpace();
  }
}

/** Why a literal can't be read that has something else here. */
export function unexpected({ text, at }: SourceCursor): NotLiteral {
  const found = at < text.length ? JSON.stringify(text[at]) : 'the end of the file';
  return new NotLiteral(`it has ${found} where a literal, "," or a closing bracket is expected`);
}

/** Why a literal can't be read that has this name in it. */
export function noLiteral(word: string): NotLiteral {
  return new NotLiteral(`it has ${JSON.stringify(word.slice(0, 40))}; only literals can be read`);
}

/** @throws NotLiteral so deep in lists and objects */
export function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw new NotLiteral(`it is nested deeper than ${MAX_DEPTH} levels`);
}

/** Levels of nesting a literal may have. */
const MAX_DEPTH = 64;
