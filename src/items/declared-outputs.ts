import type { DeclaredOutput } from '../core/item.ts';
import { readDescription, readName, readRequired, readType } from './declared-inputs.ts';
import { warnAround, warnElements, warnUnknownAttributes } from './directive-sections.ts';
import { invalidItem, type Reading } from './reading.ts';
import { elementsOf, textOf, type XmlElement } from './xml-tree.ts';

/**
 * Reads `<outputs>` (S0): as a list, `<output name type required>description</output>`, or as a map,
 * `<score>description</score>`. An output is required unless it says `required="false"`; the type is text in list form
 * and free in map form.
 *
 * @throws SkeinError `invalid_item` for a missing or repeated name, or a `required` that is no boolean
 */
export function readOutputs(elements: readonly XmlElement[], reading: Reading): readonly DeclaredOutput[] {
  const outputs = new Map<string, DeclaredOutput>();
  warnAround(elements, reading);
  for (const element of elements.flatMap(elementsOf)) {
    const output = element.name === 'output' ? readListed(element, reading) : readMapped(element, reading);
    if (outputs.has(output.name)) {
      throw invalidItem(reading, element.line, `The output "${output.name}" is declared twice`);
    }
    outputs.set(output.name, output);
  }
  return [...outputs.values()];
}

function readListed(element: XmlElement, reading: Reading): DeclaredOutput {
  warnUnknownAttributes(element, ['name', 'type', 'required', 'description'], reading);
  // `any` may be written out; it is no type of inputs.
  const free = element.attributes.get('type')?.trim().toLowerCase() === 'any';
  return {
    name: readName(element, reading),
    type: free ? 'any' : readType(element, 'string', reading),
    required: readRequired(element, true, reading),
    description: readDescription(element, reading),
  };
}

function readMapped(element: XmlElement, reading: Reading): DeclaredOutput {
  warnUnknownAttributes(element, ['type', 'required'], reading);
  warnElements(element, reading);
  return {
    name: element.name,
    type: readType(element, 'any', reading),
    required: readRequired(element, true, reading),
    description: textOf(element),
  };
}
