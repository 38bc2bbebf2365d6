/** Splits a text into so many pieces of about one length; fewer if it is shorter, none of it if it is empty. */
export function splitText(text: string, pieces: number): string[] {
  const count = Math.min(pieces, text.length);
  const split: string[] = [];
  for (let at = 0, from = 0; at < count; at += 1) {
    const to = pieceEnd(text, at, count);
    if (to > from) split.push(text.slice(from, to));
    from = Math.max(from, to);
  }
  return split;
}

/** Where piece `at` of `count` ends; never inside a surrogate pair. */
export function pieceEnd(text: string, at: number, count: number): number {
  const position = Math.round((text.length * (at + 1)) / count);
  const code = text.charCodeAt(position);
  return code >= 0xdc00 && code <= 0xdfff ? position - 1 : position;
}
