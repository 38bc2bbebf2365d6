import type { LimitOverrides } from '../core/limits.ts';
import { readText, warnText } from './directive-sections.ts';
import { invalidItem, quote, type Reading } from './reading.ts';
import { readNumber } from './value-types.ts';
import { elementsOf, type XmlElement } from './xml-tree.ts';

/** Limits that are numbers, old spellings included (S2 §1; contracts, "Limits"). */
const NUMERIC = new Set('turns tokens spend spawns depth duration_seconds max_turns max_tokens max_spend'.split(' '));

type Written = { readonly name: string; readonly text: string; readonly line: number };

/**
 * Reads `<limits>`: child elements (`<turns>10</turns>`) or attributes (`turns="10"`). Names are passed on as written:
 * old spellings and unknown names are judged where limits are resolved.
 *
 * @throws SkeinError `invalid_item` for a value that is not a number of at least 0, or a limit given twice
 */
export function readLimits(elements: readonly XmlElement[], reading: Reading): LimitOverrides {
  const limits = new Map<string, unknown>();
  for (const element of elements) warnText(element, reading);
  for (const written of elements.flatMap((element) => writtenLimits(element, reading))) {
    if (limits.has(written.name))
      throw invalidItem(reading, written.line, `The limit "${written.name}" is given twice`);
    limits.set(written.name, readLimit(written, reading));
  }
  // Wider than the type says: names are resolved and unknown ones refused by the config layer.
  return Object.fromEntries(limits);
}

function writtenLimits(element: XmlElement, reading: Reading): Written[] {
  const attributes = Array.from(element.attributes, ([name, text]) => ({ name, text, line: element.line }));
  const children = elementsOf(element).map((child) => {
    return { name: child.name, text: readText(child, reading), line: child.line };
  });
  return [...attributes, ...children];
}

function readLimit({ name, text, line }: Written, reading: Reading): unknown {
  const value = readNumber(text);
  if (!NUMERIC.has(name)) return value ?? text.trim();
  if (value !== undefined && value >= 0) return value;
  throw invalidItem(reading, line, `The limit "${name}" is ${quote(text.trim())}; a number of at least 0 is expected`);
}
