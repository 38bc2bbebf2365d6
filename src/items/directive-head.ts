import { messageOf } from '../core/errors.ts';
import type { Directive } from '../core/item.ts';
import { readText, warnText, warnUnknownAttributes, type Sections, type SectionName } from './directive-sections.ts';
import { parseItemId } from './item-id.ts';
import { invalidItem, type Reading, warn } from './reading.ts';
import { elementsOf, type XmlElement } from './xml-tree.ts';

type Head = Pick<Directive, 'name' | 'version' | 'description' | 'category' | 'extends' | 'model'>;

/** What names a directive, and how far that was written and not made up from the id. */
export type HeadReading = { readonly head: Head; readonly written: Readonly<Record<string, string>> };

const TEXTS = ['name', 'version', 'description', 'category', 'extends', 'format'] as const;

/**
 * Reads what names a directive: attributes of `<directive>` win over elements of the same name.
 *
 * @param known names that fields of the extractor ask for: as attributes they are no surprise
 */
export function readHead(
  root: XmlElement,
  sections: Sections,
  { reading, known }: { readonly reading: Reading; readonly known: ReadonlySet<string> },
): HeadReading {
  warnUnknownAttributes(root, [...TEXTS, ...known], reading);
  const texts = TEXTS.map((name): [SectionName, string] => {
    const attribute = root.attributes.get(name)?.trim();
    if (attribute === '') warn(reading, root.line, `the empty attribute "${name}" of <directive> is ignored`);
    return [name, readOne(attribute ?? '', sections[name], reading)];
  });
  const written = Object.fromEntries(texts.filter(([, text]) => text !== ''));
  const segments = reading.id.split('/');
  const base = written['extends'];
  return {
    written,
    head: {
      name: written['name'] ?? fallbackName(segments, { reading, line: root.line }),
      version: written['version'] ?? '',
      description: written['description'] ?? '',
      category: written['category'] ?? segments.slice(0, -1).join('/'),
      extends: base && readItemId(base, reading, sections.extends[0]?.line ?? root.line),
      model: readModel(sections.model, reading),
    },
  };
}

/** Checks an item id that stands in a directive; a refused one makes the directive invalid. */
export function readItemId(text: string, reading: Reading, line: number): string {
  try {
    return parseItemId(text);
  } catch (error) {
    throw invalidItem(reading, line, messageOf(error));
  }
}

/** The attribute, else the text of the first element; what says something else beside it is remarked on. */
function readOne(attribute: string, elements: readonly XmlElement[], reading: Reading): string {
  const [first, ...others] = elements.map((element) => ({ element, text: readText(element, reading) }));
  for (const { element } of others) warn(reading, element.line, `a second <${element.name}> is ignored`);
  if (first?.text === '') warn(reading, first.element.line, `an empty <${first.element.name}> is ignored`);
  if (first === undefined || attribute === '') return attribute || (first?.text ?? '');
  const { element, text } = first;
  if (text !== '' && text !== attribute)
    warn(reading, element.line, `<${element.name}> is ignored: its attribute counts`);
  return attribute;
}

function fallbackName(segments: readonly string[], at: { reading: Reading; line: number }): string {
  const name = segments.at(-1) ?? '';
  warn(at.reading, at.line, `<directive> has no name; the last part of its id, "${name}", is used`);
  return name;
}

const MODEL_KEYS = ['tier', 'provider', 'id', 'fallback'] as const;

function readModel(elements: readonly XmlElement[], reading: Reading): Directive['model'] {
  const [model, ...others] = elements;
  for (const extra of others) warn(reading, extra.line, 'a second <model> is ignored');
  if (model === undefined) return {};
  warnUnknownAttributes(model, MODEL_KEYS, reading);
  warnText(model, reading);
  const children = elementsOf(model);
  for (const child of children) {
    if (!MODEL_KEYS.some((key) => key === child.name)) {
      warn(reading, child.line, `<${child.name}> in <model> is not known and is ignored`);
    }
  }
  const entries = MODEL_KEYS.map((key): [string, string] => {
    const attribute = model.attributes.get(key)?.trim() ?? '';
    const named = children.filter((element) => element.name === key);
    return [key, readOne(attribute, named, reading)];
  });
  const given = entries.filter(([, value]) => value !== '');
  if (given.length === 0) warn(reading, model.line, `<model> gives none of ${MODEL_KEYS.join(', ')} and is ignored`);
  return Object.fromEntries(given);
}
