const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
]);

/** A text as it stands between tags or in an attribute: `& < > "` are escaped (contracts, "Escaping"). */
export function escapeMarkup(text: string): string {
  return text.replaceAll(/[&<>"]/g, (char) => ENTITIES.get(char) ?? char);
}
