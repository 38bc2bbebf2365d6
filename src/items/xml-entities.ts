const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** The end of the search for `;`: longer than any entity that is known. */
const ENTITY = /&(?:([A-Za-z#][A-Za-z0-9#]{0,10});)?/g;

/**
 * Replaces the five entities of XML and numeric ones. `onUnknown` is asked about everything else that starts with `&`
 * and may throw; what it returns stands in the text.
 */
export function decodeEntities(text: string, onUnknown: (entity: string) => string): string {
  if (!text.includes('&')) return text;
  return text.replace(ENTITY, (entity: string, name: string | undefined) => {
    const decoded = name === undefined ? undefined : (NAMED.get(name) ?? decodeNumeric(name));
    return decoded ?? onUnknown(entity);
  });
}

function decodeNumeric(name: string): string | undefined {
  const match = /^#(?:x([0-9A-Fa-f]{1,6})|(\d{1,7}))$/.exec(name);
  if (match === null) return undefined;
  const [, hex, decimal = ''] = match;
  const code = hex === undefined ? Number.parseInt(decimal, 10) : Number.parseInt(hex, 16);
  return isXmlCharacter(code) ? String.fromCodePoint(code) : undefined;
}

/** The characters XML 1.0 allows: no control characters but tab and newlines, no halves of surrogate pairs. */
function isXmlCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x9 || code === 0xa || code === 0xd;
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
}
