/**
 * Characters that make a terminal do something, show text in another order than it is written, or carry text that nobody sees:
 * C0 and C1 controls, directional marks and overrides, line separators, annotations, halves of surrogate pairs, and all that
 * Unicode calls ignorable, as zero-width spaces, fillers and tags are. Joiners and the selectors of emoji belong to words.
 */
const UNSAFE =
  /(?!\u200C|\u200D|[\uFE00-\uFE0F])[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB]/gu;

/** A text made harmless, on one line: what would act on the terminal is shown as `\n`, `\x1b`, `\u202e`. */
export function printable(text: string): string {
  return text.replaceAll(UNSAFE, escape);
}

/** The same, with line breaks and tabs kept. */
export function printableText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(UNSAFE, (char) => (char === '\n' || char === '\t' ? char : escape(char)));
}

/** JSON of a value on one line, equal to it when parsed. */
export function printableJson(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replaceAll(UNSAFE, escapeUnits);
}

const SHORT: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

function escape(char: string): string {
  const code = char.charCodeAt(0);
  return SHORT.get(char) ?? (code < 0x100 ? `\\x${hex(code, 2)}` : escapeUnits(char));
}

/** As JSON writes it: a character beyond 16 bits is two. */
function escapeUnits(char: string): string {
  return Array.from({ length: char.length }, (_, at) => `\\u${hex(char.charCodeAt(at), 4)}`).join('');
}

function hex(code: number, length: number): string {
  return code.toString(16).padStart(length, '0');
}
