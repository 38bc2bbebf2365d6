const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
]);

/** A text as it stands in an attribute or an element of a prompt (contracts, "Escaping"): it can not leave it. */
export function escapeText(text: string): string {
  return text.replaceAll(/[&<>"]/g, (char) => ESCAPES.get(char) ?? char);
}
