import { toFailure } from '../core/errors.ts';
import type { Directive } from '../core/item.ts';
import type { Sections, SectionName } from './directive-sections.ts';
import { warnText, warnUnknownAttributes } from './directive-sections.ts';
import { parseItemId } from './item-id.ts';
import { invalidItem, type Reading, warn } from './reading.ts';
import { elementsOf, textOf, type XmlElement } from './xml-tree.ts';

type Head = Pick<Directive, 'name' | 'version' | 'description' | 'category' | 'extends' | 'model'>;

/** Reads what names a directive: attributes of `<directive>` win over elements of the same name. */
export function readHead(root: XmlElement, sections: Sections, reading: Reading): Head {
  warnUnknownAttributes(root, ['name', 'version', 'description', 'category', 'extends'], reading);
  const read = (name: SectionName): string => root.attributes.get(name)?.trim() || firstText(sections[name], reading);
  const segments = reading.id.split('/');
  const base = read('extends');
  return {
    name: read('name') || fallbackName(segments, { reading, line: root.line }),
    version: read('version'),
    description: read('description'),
    category: read('category') || segments.slice(0, -1).join('/'),
    extends: base === '' ? undefined : readItemId(base, reading, sections.extends[0]?.line ?? root.line),
    model: readModel(sections.model, reading),
  };
}

/** Checks an item id that stands in a directive; a refused one makes the directive invalid. */
export function readItemId(text: string, reading: Reading, line: number): string {
  try {
    return parseItemId(text);
  } catch (error) {
    throw invalidItem(reading, line, toFailure(error).message);
  }
}

function firstText(elements: readonly XmlElement[], reading: Reading): string {
  for (const extra of elements.slice(1)) warn(reading, extra.line, `a second <${extra.name}> is ignored`);
  const [first] = elements;
  return first === undefined ? '' : textOf(first);
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
    const child = children.find((element) => element.name === key);
    return [key, model.attributes.get(key)?.trim() || (child === undefined ? '' : textOf(child))];
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}
