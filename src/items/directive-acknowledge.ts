import { type Reading, warn } from './reading.ts';
import { warnElements, warnUnknownAttributes } from './directive-sections.ts';
import { elementsOf, textOf, type XmlElement } from './xml-tree.ts';

/** A risk that the author of a directive takes on, and why. */
export type Acknowledgement = { readonly risk: string; readonly reason: string };

/**
 * Reads `<acknowledge risk="elevated">why</acknowledge>`, which stands in `<permissions>` or in `<metadata>`. It grants
 * nothing; it is there to be seen.
 */
export function readAcknowledgements(parents: readonly XmlElement[], reading: Reading): readonly Acknowledgement[] {
  const elements = parents.flatMap(elementsOf).filter(({ name }) => name === 'acknowledge');
  return elements.flatMap((element) => {
    warnUnknownAttributes(element, ['risk'], reading);
    warnElements(element, reading);
    const risk = element.attributes.get('risk')?.trim() ?? '';
    if (risk !== '') return [{ risk, reason: textOf(element) }];
    warn(reading, element.line, '<acknowledge> names no risk and is ignored');
    return [];
  });
}
