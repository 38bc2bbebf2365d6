import type { DeclaredInput, ValueType } from '../core/item.ts';
import { warnAround, warnElements, warnUnknownAttributes } from './directive-sections.ts';
import { isReferable } from './input-refs.ts';
import { invalidItem, quote, type Reading, warn } from './reading.ts';
import { fitValue, readBoolean, readTypeName } from './value-types.ts';
import { elementsOf, textOf, type XmlElement } from './xml-tree.ts';

/**
 * Reads `<inputs>`: `<input name type required default>description</input>`. Without a type an input is text, without
 * `required` it is optional.
 *
 * @throws SkeinError `invalid_item` for a missing or repeated name, a `required` that is no boolean, or a default that
 * does not fit the type
 */
export function readInputs(elements: readonly XmlElement[], reading: Reading): readonly DeclaredInput[] {
  const inputs = new Map<string, DeclaredInput>();
  warnAround(elements, reading);
  for (const element of elements.flatMap(elementsOf)) {
    if (element.name !== 'input') {
      warn(reading, element.line, `<${element.name}> in <inputs> is not known and is ignored`);
      continue;
    }
    const input = readInput(element, reading);
    if (inputs.has(input.name)) throw invalidItem(reading, element.line, `The input "${input.name}" is declared twice`);
    inputs.set(input.name, input);
  }
  return [...inputs.values()];
}

/** The name an `<input>` or `<output>` declares. */
export function readName(element: XmlElement, reading: Reading): string {
  const name = element.attributes.get('name')?.trim() ?? '';
  if (name === '') throw invalidItem(reading, element.line, `<${element.name}> has no name`);
  if (name === '__proto__') throw invalidItem(reading, element.line, `"__proto__" can't be the name of a value`);
  return name;
}

/** The declared type, or `fallback` where none is given; an unknown one is a warning. */
export function readType<Fallback extends string>(
  element: XmlElement,
  fallback: Fallback,
  reading: Reading,
): ValueType | Fallback {
  const text = element.attributes.get('type');
  if (text === undefined || text.trim().toLowerCase() === fallback) return fallback;
  const type = readTypeName(text);
  if (type === undefined) {
    warn(reading, element.line, `the type ${quote(text)} of <${element.name}> is not known; ${fallback} is used`);
  }
  return type ?? fallback;
}

/** The `required` attribute as a boolean. */
export function readRequired(element: XmlElement, fallback: boolean, reading: Reading): boolean {
  const text = element.attributes.get('required');
  if (text === undefined) return fallback;
  const required = readBoolean(text);
  if (required !== undefined) return required;
  throw invalidItem(reading, element.line, `required=${quote(text)} is neither true nor false`);
}

/** What the element says about its value: its text, else its `description` attribute. */
export function readDescription(element: XmlElement, reading: Reading): string {
  warnElements(element, reading);
  const text = textOf(element);
  const attribute = element.attributes.get('description')?.trim() ?? '';
  if (text !== '' && attribute !== '' && text !== attribute) {
    warn(reading, element.line, `the attribute "description" of <${element.name}> is ignored: its text counts`);
  }
  return text || attribute;
}

function readInput(element: XmlElement, reading: Reading): DeclaredInput {
  warnUnknownAttributes(element, ['name', 'type', 'required', 'default', 'description'], reading);
  const name = readName(element, reading);
  if (!isReferable(name)) {
    const rule = 'names are letters, digits, "_" and "-"';
    warn(reading, element.line, `{input:${name.slice(0, 60)}} refers to nothing: ${rule}, 128 at most`);
  }
  const type = readType(element, 'string', reading);
  const declared = {
    name,
    type,
    required: readRequired(element, false, reading),
    description: readDescription(element, reading),
  };
  const text = element.attributes.get('default');
  if (text === undefined) return declared;
  const fitted = fitValue(text, type);
  if (fitted.ok) return { ...declared, default: fitted.value };
  throw invalidItem(
    reading,
    element.line,
    `The default ${quote(text)} of input "${name}" is not ${fitted.expected}, as its type ${type} asks`,
  );
}
