/**
 * Characters that make a terminal do something, or show text in another order than it is written: C0 and C1 controls,
 * directional marks and overrides, line separators, the byte order mark, annotations and tags, which carry text that nobody
 * sees, and halves of surrogate pairs.
 */
const UNSAFE =
  /[\p{Cc}\p{Cs}\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;

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
