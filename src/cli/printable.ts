/**
 * Characters that make a terminal do something, or show text in another order than it is written: C0 and C1 controls,
 * directional marks and overrides, line separators, the byte order mark, and halves of surrogate pairs.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/gu;

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
  return (JSON.stringify(value) ?? 'null').replaceAll(UNSAFE, (char) => `\\u${hex(char, 4)}`);
}

const SHORT: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

function escape(char: string): string {
  const code = char.charCodeAt(0);
  return SHORT.get(char) ?? (code < 0x100 ? `\\x${hex(char, 2)}` : `\\u${hex(char, 4)}`);
}

function hex(char: string, length: number): string {
  return char.charCodeAt(0).toString(16).padStart(length, '0');
}
