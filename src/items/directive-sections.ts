import { elementsOf, textOf, type XmlElement } from './xml-tree.ts';
import { quote, type Reading, warn } from './reading.ts';

/** Parts of a directive that configure the thread; everything else in the XML is freeform. */
const SECTIONS = [
  'name',
  'version',
  'description',
  'category',
  'extends',
  'model',
  'limits',
  'permissions',
  'context',
  'hooks',
  'inputs',
  'outputs',
  'format',
] as const;

/** Name of a section. */
export type SectionName = (typeof SECTIONS)[number];

/** The section elements of a directive by name. Several of one name are read as if they were one. */
export type Sections = { readonly [Name in SectionName]: readonly XmlElement[] };

/** What stands in `<metadata>` and directly under `<directive>`. */
export type Found = {
  readonly sections: Sections;
  /** The `<metadata>` elements. */
  readonly metadata: readonly XmlElement[];
  /** Elements of `<metadata>` that are no section: fields for people, catalogues and extractors. */
  readonly others: readonly XmlElement[];
};

/** Whether an element name is that of a section. */
export function isSectionName(name: string): name is SectionName {
  return SECTIONS.some((section) => section === name);
}

/**
 * Collects the sections among the children of `<metadata>` and of `<directive>` itself, in this order.
 *
 * @param known names that fields of the extractor ask for: in `<metadata>` they are no surprise
 */
export function findSections(root: XmlElement, known: ReadonlySet<string>, reading: Reading): Found {
  warnText(root, reading);
  const metadata = elementsOf(root).filter((element) => element.name === 'metadata');
  for (const element of metadata) {
    warnText(element, reading);
    warnUnknownAttributes(element, [], reading);
  }
  const inMetadata = metadata.flatMap(elementsOf);
  const others = inMetadata.filter(({ name }) => !isSectionName(name));
  for (const { name, line } of others) {
    if (!known.has(name)) warn(reading, line, `<${name}> in <metadata> is not known and is ignored`);
  }
  const candidates = [...inMetadata, ...elementsOf(root)];
  const entries = SECTIONS.map((name) => [name, candidates.filter((element) => element.name === name)]);
  // The entries are exactly the names of SECTIONS.
  return { sections: Object.fromEntries(entries) as Sections, metadata, others };
}

/** Warns about attributes of an element other than the known ones. */
export function warnUnknownAttributes(element: XmlElement, known: readonly string[], reading: Reading): void {
  for (const name of element.attributes.keys()) {
    if (known.includes(name)) continue;
    warn(reading, element.line, `the attribute ${quote(name)} of <${element.name}> is not known and is ignored`);
  }
}

/** Warns about text inside an element that only takes elements. */
export function warnText(element: XmlElement, reading: Reading): void {
  const text = element.children.find((child) => typeof child === 'string' && child.trim() !== '');
  if (typeof text !== 'string') return;
  warn(reading, element.line, `the text ${quote(text.trim())} in <${element.name}> is ignored`);
}

/** Warns about elements inside an element that only takes text. */
export function warnElements(element: XmlElement, reading: Reading): void {
  for (const { name, line } of elementsOf(element)) {
    warn(reading, line, `<${name}> in <${element.name}> is ignored: only text is read there`);
  }
}

/** Warns about everything in the elements of a section but its child elements. */
export function warnAround(elements: readonly XmlElement[], reading: Reading): void {
  for (const element of elements) {
    warnText(element, reading);
    warnUnknownAttributes(element, [], reading);
  }
}

/** The text of an element that takes nothing but text; everything else in it is remarked on. */
export function readText(element: XmlElement, reading: Reading): string {
  warnUnknownAttributes(element, [], reading);
  warnElements(element, reading);
  return textOf(element);
}
