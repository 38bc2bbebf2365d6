import { isRecord } from '../core/record.ts';
import { warnText, warnUnknownAttributes } from './directive-sections.ts';
import { invalidItem, type Reading } from './reading.ts';
import { readJson } from './safe-json.ts';
import { elementsOf, textOf, type XmlElement } from './xml-tree.ts';

/**
 * Reads a `<condition>` into the object form of S2 §7.3. It is written as
 * - JSON text: `<condition>{"path": "turn", "op": "gte", "value": 3}</condition>`,
 * - attributes: `<condition path="turn" op="gte" value="3"/>`; a value that is JSON is read as JSON, other values are
 *   text (`value='"3"'` is the text 3),
 * - nested: `<condition><any><condition …/><condition …/></any></condition>`, likewise `<all>` and `<not>`.
 *
 * An empty condition is `{}` and always holds. Paths and operators are checked where the condition is compiled.
 *
 * @throws SkeinError `invalid_item` for anything else: a condition that is misread would let its hook always run
 */
export function readCondition(element: XmlElement, reading: Reading): Readonly<Record<string, unknown>> {
  const children = elementsOf(element);
  const forms = [element.attributes.size > 0, children.length > 0, textOf(element) !== ''].filter(Boolean).length;
  if (forms > 1) {
    throw invalidItem(reading, element.line, '<condition> takes attributes, nested elements or JSON text, not several');
  }
  if (element.attributes.size > 0) return readComparison(element, reading);
  if (children.length > 0) return readCombined(element, reading);
  return readJsonCondition(element, reading);
}

function readComparison(element: XmlElement, reading: Reading): Readonly<Record<string, unknown>> {
  const { attributes, line } = element;
  for (const name of attributes.keys()) {
    if (!['path', 'op', 'value'].includes(name)) {
      throw invalidItem(
        reading,
        line,
        `<condition> does not take the attribute "${name}"; path, op and value are known`,
      );
    }
  }
  const path = attributes.get('path');
  if (path === undefined) throw invalidItem(reading, line, '<condition> has no path');
  const value = attributes.get('value');
  return { path, op: attributes.get('op') ?? 'eq', ...(value !== undefined && { value: readValue(value) }) };
}

function readValue(text: string): unknown {
  const json = readJson(text);
  return json.ok ? json.value : text;
}

function readCombined(element: XmlElement, reading: Reading): Readonly<Record<string, unknown>> {
  const [only, second] = elementsOf(element);
  if (only === undefined || second !== undefined) {
    throw invalidItem(reading, element.line, '<condition> holds more than one element; put them into <all> or <any>');
  }
  return readCombinator(only, reading);
}

function readCombinator(element: XmlElement, reading: Reading): Readonly<Record<string, unknown>> {
  const { name, line } = element;
  if (name === 'condition') return readCondition(element, reading);
  if (name !== 'any' && name !== 'all' && name !== 'not') {
    throw invalidItem(reading, line, `<${name}> is no condition; <condition>, <all>, <any> and <not> are`);
  }
  warnUnknownAttributes(element, [], reading);
  warnText(element, reading);
  const parts = elementsOf(element).map((child) => readCombinator(child, reading));
  if (name !== 'not') return { [name]: parts };
  if (parts.length !== 1) throw invalidItem(reading, line, '<not> takes exactly one condition');
  return { not: parts[0] };
}

function readJsonCondition(element: XmlElement, reading: Reading): Readonly<Record<string, unknown>> {
  const text = textOf(element);
  if (text === '') return {};
  const json = readJson(text);
  if (!json.ok) throw invalidItem(reading, element.line, `<condition> is ${json.reason}`);
  if (!isRecord(json.value)) throw invalidItem(reading, element.line, '<condition> is not a JSON object');
  return json.value;
}
