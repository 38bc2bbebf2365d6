/**
 * Characters that make a terminal do something, show text in another order than it is written, or carry text that nobody sees,
 * as a class of a regular expression: C0 and C1 controls, directional marks and overrides, line separators, annotations, halves of
 * surrogate pairs, and all that Unicode calls ignorable, as zero-width spaces, fillers, selectors of variants and tags are.
 */
export const UNSEEN = String.raw`\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB`;

/** Those, but for joiners and the selectors of emoji, which belong to words. */
export const HIDDEN = new RegExp(String.raw`(?!\u200C|\u200D|[\uFE00-\uFE0F])[${UNSEEN}]`, 'gu');

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
