/** A piece of a text, and whether it is what was looked for. */
export type MarkedPart = { readonly text: string; readonly isMarked: boolean };

/** A text in pieces, by where another one stands in it, whatever its case. */
export function markedParts(text: string, wanted: string): MarkedPart[] {
  const parts: MarkedPart[] = [];
  const [low, sought] = [text.toLowerCase(), wanted.toLowerCase()];
  // Letters whose other case has another length would move what is marked.
  if (sought === '' || low.length !== text.length) return [{ text, isMarked: false }];
  let at = 0;
  for (let found = low.indexOf(sought); found !== -1; found = low.indexOf(sought, at)) {
    if (found > at) parts.push({ text: text.slice(at, found), isMarked: false });
    at = found + sought.length;
    parts.push({ text: text.slice(found, at), isMarked: true });
  }
  if (at < text.length) parts.push({ text: text.slice(at), isMarked: false });
  return parts;
}
