/** A processing instruction of an XML text, such as `<?php … ?>`; `offset` is where it begins. */
export type XmlInstruction = { readonly target: string; readonly offset: number };

/** The processing instructions of an XML text in order, but not its declaration; comments and character data hold none. */
export function findXmlInstructions(xml: string): XmlInstruction[] {
  const found: XmlInstruction[] = [];
  for (let at = xml.indexOf('<'); at !== -1; at = xml.indexOf('<', at)) {
    const [opening, closing] = LONG_MARKUP.find(([start]) => xml.startsWith(start, at)) ?? ['<', ''];
    const target = opening === '<?' ? (/^[^\s?]{0,60}/.exec(xml.slice(at + 2, at + 62))?.[0] ?? '') : 'xml';
    if (target.toLowerCase() !== 'xml') found.push({ target, offset: at });
    const end = xml.indexOf(closing, at + opening.length);
    at = end === -1 ? xml.length : end + closing.length;
  }
  return found;
}

/** Markup in which a `<` begins nothing, by what ends it. */
const LONG_MARKUP: readonly (readonly [opening: string, closing: string])[] = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
];
