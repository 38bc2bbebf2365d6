import { faultOfLimit, OLD_SPELLINGS } from '../config/limits.ts';
import type { LimitOverrides } from '../core/limits.ts';
import { own } from '../core/record.ts';
import { readText, warnText } from './directive-sections.ts';
import { invalidItem, quote, type Reading, warn } from './reading.ts';
import { readNumber } from './value-types.ts';
import { elementsOf, type XmlElement } from './xml-tree.ts';

type Written = { readonly name: string; readonly text: string; readonly line: number };

/**
 * Reads `<limits>`: child elements (`<turns>10</turns>`) or attributes (`turns="10"`). Old spellings get their present
 * name, with a warning.
 *
 * @throws SkeinError `invalid_item` for what is no limit, a value that none can have, or a limit given twice
 */
export function readLimits(elements: readonly XmlElement[], reading: Reading): LimitOverrides {
  const limits = new Map<string, unknown>();
  for (const element of elements) warnText(element, reading);
  for (const written of elements.flatMap((element) => writtenLimits(element, reading))) {
    const name = presentName(written, reading);
    if (limits.has(name)) throw invalidItem(reading, written.line, `The limit "${name}" is given twice`);
    limits.set(name, readLimit(name, written, reading));
  }
  // Checked name by name and value by value.
  return Object.fromEntries(limits);
}

function writtenLimits(element: XmlElement, reading: Reading): Written[] {
  const attributes = Array.from(element.attributes, ([name, text]) => ({ name, text, line: element.line }));
  const children = elementsOf(element).map((child) => {
    return { name: child.name, text: readText(child, reading), line: child.line };
  });
  return [...attributes, ...children];
}

function presentName({ name, line }: Written, reading: Reading): string {
  const present = own(OLD_SPELLINGS, name);
  if (present !== undefined) warn(reading, line, `the limit "${name}" is an old spelling of "${present}"`);
  return present ?? name;
}

function readLimit(name: string, { text, line }: Written, reading: Reading): unknown {
  const value = readNumber(text) ?? text.trim();
  const fault = faultOfLimit(name, value);
  if (fault === undefined) return value;
  throw invalidItem(reading, line, `Directive "${reading.id}": limit "${name}" (${quote(text.trim())}) ${fault}`);
}
