import { conditionFault } from '../core/condition.ts';
import { isRecord } from '../core/record.ts';
import { warnText, warnUnknownAttributes } from './directive-sections.ts';
import { invalidItem, type Reading } from './reading.ts';
import { readJson } from './safe-json.ts';
import { elementsOf, textOf, type XmlElement } from './xml-tree.ts';

/**
 * Reads a `<condition>` into the object form of S2 §7.3. It is written as
 * - JSON text: `<condition>{"path": "turn", "op": "gte", "value": 3}</condition>`,
 * - attributes: `<condition path="turn" op="gte" value="3"/>`; a value that is JSON is read as JSON, other values are
 *   text (`value='"3"'` is the text 3). XML knows no types: what is equal to 3, or has it in it, may be the text 3 as well,
 * - nested: `<condition><any><condition …/><condition …/></any></condition>`, likewise `<all>` and `<not>`.
 *
 * An empty condition is `{}` and always holds.
 *
 * @throws SkeinError `invalid_item` for anything else, and for what does not compile: a condition that is misread would let its
 * hook always run
 */
export function readCondition(element: XmlElement, reading: Reading): Spec {
  const condition = readNested(element, reading);
  const fault = conditionFault(condition);
  if (fault !== undefined) throw invalidItem(reading, element.line, `<condition>: ${fault.message}`);
  return condition;
}

type Spec = Readonly<Record<string, unknown>>;

function readNested(element: XmlElement, reading: Reading): Spec {
  const children = elementsOf(element);
  const forms = [element.attributes.size > 0, children.length > 0, textOf(element) !== ''].filter(Boolean).length;
  if (forms > 1) {
    throw invalidItem(reading, element.line, '<condition> takes attributes, nested elements or JSON text, not several');
  }
  if (element.attributes.size > 0) return readComparison(element, reading);
  if (children.length > 0) return readCombined(element, reading);
  return readJsonCondition(element, reading);
}

function readComparison(element: XmlElement, reading: Reading): Spec {
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
  const op = attributes.get('op') ?? 'eq';
  const value = attributes.get('value');
  return value === undefined ? { path, op } : comparison({ path, op }, value);
}

/** What looks like a number, `true` or `null` is compared as that, and as the text that it is. */
function comparison(test: { readonly path: string; readonly op: string }, text: string): Spec {
  const json = readJson(text);
  const value = json.ok ? json.value : text;
  if (test.op === 'regex') return { ...test, value: typeof value === 'string' ? value : text };
  if (test.op === 'in' && Array.isArray(value))
    return { ...test, value: [...value, ...value.filter(isBare).map(String)] };
  const joint = JOINTS.get(test.op);
  if (joint === undefined || !isBare(value)) return { ...test, value };
  return { [joint]: [value, text.trim()].map((one) => ({ ...test, value: one })) };
}

/** How both comparisons are joined, where a text can be what is looked for. */
const JOINTS: ReadonlyMap<string, 'any' | 'all'> = new Map([
  ['eq', 'any'],
  ['contains', 'any'],
  ['ne', 'all'],
]);

function isBare(value: unknown): boolean {
  return value === null || typeof value === 'number' || typeof value === 'boolean';
}

function readCombined(element: XmlElement, reading: Reading): Spec {
  const [only, second] = elementsOf(element);
  if (only === undefined || second !== undefined) {
    throw invalidItem(reading, element.line, '<condition> holds more than one element; put them into <all> or <any>');
  }
  return readCombinator(only, reading);
}

function readCombinator(element: XmlElement, reading: Reading): Spec {
  const { name, line } = element;
  if (name === 'condition') return readNested(element, reading);
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

function readJsonCondition(element: XmlElement, reading: Reading): Spec {
  const text = textOf(element);
  if (text === '') return {};
  const json = readJson(text);
  if (!json.ok) throw invalidItem(reading, element.line, `<condition> is ${json.reason}`);
  if (!isRecord(json.value)) throw invalidItem(reading, element.line, '<condition> is not a JSON object');
  return json.value;
}
