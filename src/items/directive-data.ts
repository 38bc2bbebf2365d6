import type { Directive } from '../core/item.ts';
import type { Found } from './directive-sections.ts';
import { elementsOf, textOf, type XmlElement } from './xml-tree.ts';

/** What fields of an extractor can reach in a directive: keys by which they are found. */
export type DirectiveData = Readonly<Record<string, unknown>>;

/** The sections that fields get as they were read, where they are written. */
const READ = ['model', 'limits', 'permissions', 'context', 'hooks', 'inputs', 'outputs'] as const;

/**
 * Collects what a directive says: attributes of `<directive>`, elements of `<metadata>` (text as text, others as maps of
 * their attributes, children and `text`, several of a name as a list), the sections as they were read, and its texts.
 */
export function directiveData(
  root: XmlElement,
  { sections, others }: Found,
  read: {
    readonly directive: Directive;
    readonly written: Readonly<Record<string, string>>;
    readonly more: DirectiveData;
  },
): DirectiveData {
  const { directive, written, more } = read;
  const fromSections = READ.filter((name) => sections[name].length > 0).map((name) => [name, directive[name]]);
  const { preamble, body, content, actions } = directive;
  return {
    ...Object.fromEntries([...byName(others), ...fromSections]),
    ...Object.fromEntries(root.attributes),
    ...written,
    ...more,
    preamble,
    body,
    content,
    actions,
  };
}

function byName(elements: readonly XmlElement[]): readonly (readonly [string, unknown])[] {
  return [...Map.groupBy(elements, ({ name }) => name)].map(([name, alike]) => [name, toData(alike)]);
}

function toData(elements: readonly XmlElement[]): unknown {
  const values = elements.map((element) => toValue(element));
  return values.length === 1 ? values[0] : values;
}

function toValue(element: XmlElement): unknown {
  const children = elementsOf(element);
  const text = textOf(element);
  if (children.length === 0 && element.attributes.size === 0) return text;
  return Object.fromEntries([...byName(children), ...element.attributes, ...(text === '' ? [] : [['text', text]])]);
}
