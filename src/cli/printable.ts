import { escapeUnits, HIDDEN } from '../core/visible-text.ts';

/** A text made harmless, on one line: what would act on the terminal is shown as `\n`, `\x1b`, `\u202e`. */
export function printable(text: string): string {
  return text.replaceAll(HIDDEN, escape);
}

/** The same, with line breaks and tabs kept. */
export function printableText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(HIDDEN, (char) => (char === '\n' || char === '\t' ? char : escape(char)));
}

/** JSON of a value on one line, equal to it when parsed. */
export function printableJson(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replaceAll(HIDDEN, escapeUnits);
}

const SHORT: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

function escape(char: string): string {
  const code = char.charCodeAt(0);
  return SHORT.get(char) ?? (code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : escapeUnits(char));
}
