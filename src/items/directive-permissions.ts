import { dottedId } from '../core/dotted-id.ts';
import { ITEM_KINDS, PRIMARY_ACTIONS } from '../core/item.ts';
import { readText, warnUnknownAttributes } from './directive-sections.ts';
import { quote, type Reading, warn } from './reading.ts';
import { elementsOf, textOf, type XmlElement } from './xml-tree.ts';

const PATTERN = /^[A-Za-z0-9._*/-]+$/;

/**
 * Reads `<permissions>` into capability strings (contracts, "Capabilities"). Forms:
 * `<execute><tool>rye/file-system/*</tool></execute>`, `<execute>*</execute>`, `*` alone, and
 * `<cap>rye.execute.tool.rye.file-system.*</cap>`. Slashes of item ids become dots. What can't be read grants nothing
 * and is a warning.
 *
 * @returns undefined without the element: then the directive declares nothing; `[]` for an empty one
 */
export function readPermissions(elements: readonly XmlElement[], reading: Reading): readonly string[] | undefined {
  if (elements.length === 0) return undefined;
  return [...new Set(elements.flatMap((element) => readSection(element, reading)))];
}

function readSection(element: XmlElement, reading: Reading): string[] {
  warnUnknownAttributes(element, [], reading);
  const nested = elementsOf(element).flatMap((child) => readChild(child, reading));
  return [...readStar(element, 'rye.*', reading), ...nested];
}

function readChild(element: XmlElement, reading: Reading): string[] {
  if (element.name === 'cap') return readFlat(element, reading);
  // Read elsewhere: it grants nothing.
  if (element.name === 'acknowledge') return [];
  warnUnknownAttributes(element, [], reading);
  if (!PRIMARY_ACTIONS.some((primary) => primary === element.name)) {
    warn(reading, element.line, `<${element.name}> in <permissions> is no action and grants nothing`);
    return [];
  }
  const prefix = `rye.${element.name}`;
  const items = elementsOf(element);
  // Of one with attributes these have been remarked on.
  if (items.length === 0 && textOf(element) === '' && element.attributes.size === 0) {
    warn(reading, element.line, `<${element.name}> in <permissions> is empty and grants nothing`);
  }
  const nested = items.flatMap((child) => readItem(child, prefix, reading));
  return [...readStar(element, `${prefix}.*`, reading), ...nested];
}

/** Text directly inside an element: `*` stands for everything below it. */
function readStar(element: XmlElement, granted: string, reading: Reading): string[] {
  const text = textOf(element);
  if (text === '*') return [granted];
  if (text !== '') warn(reading, element.line, `the text ${quote(text)} in <${element.name}> grants nothing`);
  return [];
}

function readItem(element: XmlElement, prefix: string, reading: Reading): string[] {
  const pattern = readText(element, reading);
  if (!ITEM_KINDS.some((kind) => kind === element.name)) {
    warn(reading, element.line, `<${element.name}> is no item type (${ITEM_KINDS.join(', ')}) and grants nothing`);
    return [];
  }
  if (!PATTERN.test(pattern)) return warnPattern(element, reading);
  return [`${prefix}.${element.name}.${dottedId(pattern)}`];
}

function readFlat(element: XmlElement, reading: Reading): string[] {
  const text = readText(element, reading);
  if (text === '*') return ['rye.*'];
  if (!PATTERN.test(text) || !text.startsWith('rye.')) return warnPattern(element, reading);
  return [dottedId(text)];
}

function warnPattern(element: XmlElement, reading: Reading): string[] {
  const shown = quote(textOf(element));
  warn(
    reading,
    element.line,
    `<${element.name}>${shown} is no item id, pattern or rye.… capability and grants nothing`,
  );
  return [];
}
