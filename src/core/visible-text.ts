/**
 * Characters that make a terminal do something, show text in another order than it is written, or carry text that nobody sees:
 * C0 and C1 controls, directional marks and overrides, line separators, annotations, halves of surrogate pairs, and all that
 * Unicode calls ignorable, as zero-width spaces, fillers and tags are. Joiners and the selectors of emoji belong to words.
 */
export const HIDDEN =
  /(?!\u200C|\u200D|[\uFE00-\uFE0F])[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB]/gu;

/** Text from elsewhere as it may stand in a line for a person or a model: what is hidden in it is written as JSON writes it. */
export function visibleText(text: string): string {
  return text.replaceAll(HIDDEN, escapeUnits);
}

/** `\u202e`; a character beyond 16 bits is two. */
export function escapeUnits(char: string): string {
  return Array.from({ length: char.length }, (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
    '',
  );
}
