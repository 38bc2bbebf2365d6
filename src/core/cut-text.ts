/** The half of a surrogate pair that a cut has left. */
const HALF = /[\uD800-\uDBFF]$/;

/** A text without what is behind its first `most` characters; a surrogate pair is left out as a whole. */
export function startOf(text: string, most: number): string {
  return text.length > most ? text.slice(0, most).replace(HALF, '') : text;
}

/** The same, with an ellipsis behind a text that is longer. */
export function cutText(text: string, most: number): string {
  return text.length > most ? `${startOf(text, most)}…` : text;
}
