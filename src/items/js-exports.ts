import { skipJsSpace, wordAt } from './js-text.ts';
import type { SourceCursor } from './source-cursor.ts';

/**
 * Moves past the list of `export {a, b as c}`, and gives the exported with the local names. What is exported from another
 * module is none of this one's. The cursor stays where no such list follows.
 */
export function readExportList(cursor: SourceCursor): readonly (readonly [exported: string, local: string])[] {
  const start = cursor.at;
  const entries = readEntries(cursor);
  if (entries === undefined) {
    cursor.at = start;
    return [];
  }
  const end = cursor.at;
  skipJsSpace(cursor);
  const isForeign = wordAt(cursor) === 'from';
  cursor.at = end;
  return isForeign ? [] : entries.map(([local = '', , exported = local]) => [exported, local]);
}

/** The words of each entry between braces; undefined for anything but such a list. */
function readEntries(cursor: SourceCursor): readonly (readonly string[])[] | undefined {
  skipJsSpace(cursor);
  if (cursor.text[cursor.at] !== '{') return undefined;
  const entries: string[][] = [[]];
  for (cursor.at++; ; cursor.at++) {
    entries.at(-1)?.push(...readWords(cursor));
    const char = cursor.text[cursor.at];
    if (char === ',') entries.push([]);
    else if (char !== '}') return undefined;
    else {
      cursor.at++;
      return entries.filter((words) => words.length > 0);
    }
  }
}

function readWords(cursor: SourceCursor): string[] {
  const words: string[] = [];
  skipJsSpace(cursor);
  for (let word = wordAt(cursor); word !== ''; word = wordAt(cursor)) {
    words.push(word);
    cursor.at += word.length;
    skipJsSpace(cursor);
  }
  return words;
}
