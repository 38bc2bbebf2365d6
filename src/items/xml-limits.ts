/** Levels of elements that are read. */
export const MAX_XML_DEPTH = 64;

/** Something well-formed that is not accepted. */
export type XmlRefusal = { readonly reason: string; readonly offset: number };

const RESERVED = /[<\s](?:__proto__|constructor|prototype)(?=[\s=/>])/;

/**
 * Finds the first element that is nested too deeply or has a name, of its own or of an attribute, that would reach the
 * prototype of an object in the parser. Linear; the text is known to be well formed.
 */
export function findXmlRefusal(xml: string): XmlRefusal | undefined {
  let depth = 0;
  for (let at = xml.indexOf('<'); at !== -1; at = xml.indexOf('<', at)) {
    const end = endOfMarkup(xml, at);
    const next = xml[at + 1];
    if (next === '/') depth--;
    else if (next !== '!' && next !== '?') {
      if (xml[end - 2] !== '/') depth++;
      if (depth > MAX_XML_DEPTH) return { reason: `elements nested deeper than ${MAX_XML_DEPTH} levels`, offset: at };
      const reserved = hasReservedName(xml.slice(at, end));
      if (reserved) return { reason: 'a reserved name: __proto__, constructor or prototype', offset: at };
    }
    at = end;
  }
  return undefined;
}

/** Just past what the `<` at an offset begins. */
function endOfMarkup(xml: string, start: number): number {
  const closing = xml.startsWith('<!--', start) ? '-->' : xml.startsWith('<![CDATA[', start) ? ']]>' : '>';
  if (closing !== '>') return after(xml.indexOf(closing, start), closing, xml);
  for (let at = start + 1; at < xml.length; at++) {
    const char = xml[at];
    if (char === '>') return at + 1;
    if (char === '"' || char === "'") at = after(xml.indexOf(char, at + 1), '', xml);
  }
  return xml.length;
}

function after(found: number, closing: string, xml: string): number {
  return found === -1 ? xml.length : found + closing.length;
}

/** What stands between quotes is no name. */
function hasReservedName(tag: string): boolean {
  return RESERVED.test(tag) && RESERVED.test(tag.replaceAll(/"[^"]*"|'[^']*'/g, '""'));
}
