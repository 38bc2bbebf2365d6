import { elementsOf, type XmlElement } from './xml-tree.ts';
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
] as const;

/** Name of a section. */
export type SectionName = (typeof SECTIONS)[number];

/** For people and catalogues; no thread depends on them. */
const INFORMATION = new Set(['author', 'tags', 'created_at', 'updated_at', 'license', 'references', 'notes']);

/** The section elements of a directive by name. Several of one name are read as if they were one. */
export type Sections = { readonly [Name in SectionName]: readonly XmlElement[] };

/** Whether an element name is that of a section. */
export function isSectionName(name: string): name is SectionName {
  return SECTIONS.some((section) => section === name);
}

/** Collects the sections among the children of `<metadata>` and of `<directive>` itself, in this order. */
export function findSections(root: XmlElement, reading: Reading): Sections {
  const metadata = elementsOf(root).filter((element) => element.name === 'metadata');
  const inMetadata = metadata.flatMap(elementsOf);
  for (const { name, line } of inMetadata) {
    if (!isSectionName(name) && !INFORMATION.has(name)) {
      warn(reading, line, `<${name}> in <metadata> is not known and is ignored`);
    }
  }
  const candidates = [...inMetadata, ...elementsOf(root)];
  const entries = SECTIONS.map((name) => [name, candidates.filter((element) => element.name === name)]);
  // The entries are exactly the names of SECTIONS.
  return Object.fromEntries(entries) as Sections;
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
