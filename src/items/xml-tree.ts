import { createRequire } from 'node:module';
import type * as XmlPackage from 'fast-xml-parser';
import { cutText } from '../core/cut-text.ts';
import { messageOf } from '../core/errors.ts';
import { createLineCounter } from './line-counter.ts';
import { withLineFeeds } from './line-feeds.ts';
import { decodeEntities } from './xml-entities.ts';
import { findXmlInstructions } from './xml-instructions.ts';
import { findXmlRefusal, MAX_XML_DEPTH } from './xml-limits.ts';

// Its CommonJS form is one file where its modules are forty, which cost each start of a worker 20 ms.
const { XMLParser, XMLValidator } = createRequire(import.meta.url)('fast-xml-parser') as typeof XmlPackage;

/** An element of a parsed XML text. Text between elements stands among the children, entities decoded. */
export type XmlElement = {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly (XmlElement | string)[];
  /** Line of the start tag in the file. */
  readonly line: number;
};

/**
 * The root element and on which lines there are processing instructions, which are left out; or what is wrong with the
 * text, and on which line of the file.
 */
export type XmlReading =
  | { readonly ok: true; readonly root: XmlElement; readonly instructions: readonly XmlLine[] }
  | { readonly ok: false; readonly reason: string; readonly line: number };

/** A line of the file, and what stands there. */
export type XmlLine = { readonly line: number; readonly target: string };

/** Tags and attributes together: many times what a large directive has, read in a tenth of a second. */
const MAX_MARKS = 10_000;

/**
 * Parses untrusted XML: well-formed, one root, no declarations (`<!DOCTYPE` and the like), at most 64 levels, no
 * entities but the five of XML and numeric ones, values never guessed at, a bounded number of tags. Never throws. The
 * caller caps the size. `firstLine` is the line of the file on which the text starts.
 */
export function readXml(source: string, firstLine = 1): XmlReading {
  const xml = withLineFeeds(source);
  const lineAt = createLineCounter(xml, firstLine);
  try {
    checkBeforeParsing(xml, lineAt);
    const root = toRoot(parse(xml), { xml, lineAt });
    const instructions = findXmlInstructions(xml).map(({ target, offset }) => ({ target, line: lineAt(offset) }));
    return { ok: true, root, instructions };
  } catch (error) {
    if (error instanceof XmlFault) return { ok: false, reason: error.message, line: error.line };
    // The parser throws plain errors for what its validator let through, such as a comment that never ends.
    return { ok: false, reason: clip(messageOf(error)), line: firstLine };
  }
}

/** The element's text, that of nested elements left out, trimmed. */
export function textOf(element: XmlElement): string {
  return element.children
    .filter((child) => typeof child === 'string')
    .join('')
    .trim();
}

/** The element's child elements in order. */
export function elementsOf(element: XmlElement): XmlElement[] {
  return element.children.filter((child) => typeof child !== 'string');
}

type LineAt = (offset: number) => number;

class XmlFault extends Error {
  readonly line: number;
  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

function checkBeforeParsing(xml: string, lineAt: LineAt): void {
  if (countMarks(xml) > MAX_MARKS) throw new XmlFault(`more than ${MAX_MARKS} tags and attributes`, lineAt(0));
  const control = CONTROL.exec(xml);
  if (control !== null) throw new XmlFault('a control character', lineAt(control.index));
  const declaration = findDeclaration(xml);
  if (declaration !== -1) {
    throw new XmlFault('declarations such as <!DOCTYPE> are not accepted', lineAt(declaration));
  }
  const verdict = XMLValidator.validate(xml);
  if (verdict !== true) {
    const line = (counted: number): number => lineAt(0) + counted - 1;
    // It counts lines from the start of the text it is given, in its messages as well.
    const message = verdict.err.msg.replace(/\bline (\d+)/, (_, counted: string) => `line ${line(Number(counted))}`);
    throw new XmlFault(clip(message), line(verdict.err.line ?? 1));
  }
  // The validator overlooks text after a root element that is closed in its start tag, and the parser drops it.
  const last = xml.lastIndexOf('>');
  if (xml.slice(last + 1).trim() !== '') throw new XmlFault('text after the root element', lineAt(last));
  const refusal = findXmlRefusal(xml);
  if (refusal !== undefined) throw new XmlFault(refusal.reason, lineAt(refusal.offset));
}

function countMarks(xml: string): number {
  let count = 0;
  for (const _ of xml.matchAll(/<|=\s{0,2}["']/g)) if (++count > MAX_MARKS) break;
  return count;
}

// oxlint-disable-next-line no-control-regex -- finding control characters is the point
const CONTROL = /[\0-\u0008\u000b\u000c\u000e-\u001f]/;

/** Offset of the first `<!` that is neither a comment nor character data; -1 if there is none. */
function findDeclaration(xml: string): number {
  for (let at = xml.indexOf('<!'); at !== -1; at = xml.indexOf('<!', at)) {
    const closing = xml.startsWith('<!--', at) ? '-->' : xml.startsWith('<![CDATA[', at) ? ']]>' : undefined;
    if (closing === undefined) return at;
    const end = xml.indexOf(closing, at + 4);
    if (end === -1) return -1;
    at = end;
  }
  return -1;
}

function clip(message: string): string {
  return cutText(message.replace(/\s+/g, ' '), 200);
}

/** A node as the parser gives it: one key with the tag name, attributes under `:@`, the place under a symbol. */
type RawNode = Readonly<Record<string | symbol, unknown>>;

const TEXT = '#text';
const CDATA = '#cdata';
const ATTRIBUTES = ':@';

/** Keeps nothing of a text it has parsed. */
const PARSER = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  textNodeName: TEXT,
  cdataPropName: CDATA,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  processEntities: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  captureMetaData: true,
  maxNestedTags: MAX_XML_DEPTH - 1,
  onDangerousProperty: (name) => name,
});

function parse(xml: string): readonly RawNode[] {
  // With `preserveOrder` the parser returns a list of nodes; its types say `any`.
  return PARSER.parse(xml) as readonly RawNode[];
}

/** The text that was parsed, to say where in it something is wrong. */
type Source = { readonly xml: string; readonly lineAt: LineAt };

function toRoot(nodes: readonly RawNode[], source: Source): XmlElement {
  const { lineAt } = source;
  const children = nodes.map((node) => toChild(node, source, 0));
  const roots = children.filter((child) => typeof child !== 'string');
  const [root, second] = roots;
  if (root === undefined) throw new XmlFault('there is no root element', lineAt(0));
  if (second !== undefined) throw new XmlFault(`a second root element <${second.name}>`, second.line);
  const stray = children.find((child) => typeof child === 'string' && child.trim() !== '');
  if (stray !== undefined) throw new XmlFault('text outside the root element', root.line);
  return root;
}

function toChild(node: RawNode, source: Source, parentStart: number): XmlElement | string {
  if (Object.hasOwn(node, TEXT)) return decode(String(node[TEXT]), source, parentStart);
  if (Object.hasOwn(node, CDATA)) return cdataText(node[CDATA]);
  const name = Object.keys(node).find((key) => key !== ATTRIBUTES) ?? '';
  const start = startOf(node);
  // The parser keeps an element's children as a list of nodes under its name.
  const children = node[name] as readonly RawNode[];
  return {
    name,
    attributes: toAttributes(node, source, start),
    children: children.map((child) => toChild(child, source, start)),
    line: source.lineAt(start),
  };
}

function cdataText(value: unknown): string {
  // Character data is a list with one text node, which stands as it was written.
  const [text] = value as readonly RawNode[];
  const content = text?.[TEXT];
  return typeof content === 'string' ? content : '';
}

function startOf(node: RawNode): number {
  // The types declare the symbol as `Symbol`, and what it leads to not at all.
  const meta = node[XMLParser.getMetaDataSymbol() as unknown as symbol] as { startIndex?: number } | undefined;
  return meta?.startIndex ?? 0;
}

function toAttributes(node: RawNode, source: Source, start: number): ReadonlyMap<string, string> {
  const raw = node[ATTRIBUTES];
  if (typeof raw !== 'object' || raw === null) return new Map();
  return new Map(Object.entries(raw).map(([name, value]) => [name, decode(String(value), source, start)]));
}

function decode(text: string, { xml, lineAt }: Source, start: number): string {
  return decodeEntities(text, (entity) => {
    const isBare = entity === '&';
    // The parser does not say where a text stands: it is in an element, and what is wrong with it is seen by itself.
    const at = isBare ? xml.slice(start).search(/&(?!#?\w{1,10};)/) : xml.indexOf(entity, start) - start;
    throw new XmlFault(
      isBare ? 'a bare "&"; write &amp;' : `an unknown entity ${entity}`,
      lineAt(start + Math.max(0, at)),
    );
  });
}
