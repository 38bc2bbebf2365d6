import type { Directive } from '../core/item.ts';
import { readBodyActions } from './body-actions.ts';
import { readInputs } from './declared-inputs.ts';
import { readOutputs } from './declared-outputs.ts';
import { readAcknowledgements } from './directive-acknowledge.ts';
import { readContext } from './directive-context.ts';
import { type DirectiveData, directiveData } from './directive-data.ts';
import { readHead } from './directive-head.ts';
import { readHooks } from './directive-hooks.ts';
import { readLimits } from './directive-limits.ts';
import { readPermissions } from './directive-permissions.ts';
import { findSections } from './directive-sections.ts';
import { bodyTemplate } from './directive-template.ts';
import { type DirectiveSource, splitDirective } from './directive-source.ts';
import { invalidItem, quote, type Reading, startReading, warn, warningsOf } from './reading.ts';
import { type FilledText, warnUndeclared } from './undeclared-inputs.ts';
import { readXmlActions } from './xml-actions.ts';
import { readXml, type XmlElement } from './xml-tree.ts';

/** A directive, and all that its file says for fields of the extractor. */
export type DirectiveReading = { readonly directive: Directive; readonly data: DirectiveData };

/** Where a directive comes from; `known` are names that fields of the extractor ask for. */
export type DirectivePlace = {
  readonly id: string;
  /** Named in errors. */
  readonly file: string;
  readonly known: ReadonlySet<string>;
};

/**
 * Parses a directive file: Markdown with a ```` ```xml ```` block whose root is `<directive>` (S2 §1, S0; contracts,
 * "Items and directives"). Pure and linear; the text may be hostile.
 *
 * @throws SkeinError `invalid_item` with file, line and reason, or `item_too_large`
 */
export function readDirective(source: string, at: DirectivePlace): DirectiveReading {
  const reading = startReading(at);
  const parts = splitDirective(source, reading);
  const root = readRoot(parts, reading);
  const found = findSections(root, at.known, reading);
  const { sections } = found;
  const { head, written } = readHead(root, sections, { reading, known: at.known });
  const acknowledge = readAcknowledgements([...found.metadata, ...sections.permissions], reading);
  const directive: Directive = {
    id: at.id,
    ...head,
    limits: readLimits(sections.limits, reading),
    permissions: readPermissions(sections.permissions, reading),
    context: readContext(sections.context, reading),
    hooks: readHooks(sections.hooks, reading),
    inputs: readInputs(sections.inputs, reading),
    outputs: readOutputs(sections.outputs, reading),
    preamble: parts.preamble,
    body: parts.body,
    ...bodyTemplate(written['format'], { ...head, body: parts.body }, reading),
    content: parts.content,
    actions: readActions(root, parts, reading),
    warnings: [],
  };
  warnUndeclared(filledTexts(source, parts, directive), directive.inputs, reading);
  const more = acknowledge.length > 0 ? { acknowledge } : {};
  const data = directiveData(root, found, { directive, written, more });
  return { directive: { ...directive, warnings: warningsOf(reading) }, data };
}

function readRoot({ content, contentLine }: DirectiveSource, reading: Reading): XmlElement {
  const xml = readXml(content, contentLine);
  if (!xml.ok) throw invalidItem(reading, xml.line, `The XML of the directive is not accepted: ${xml.reason}`);
  for (const { line, target } of xml.instructions) {
    warn(reading, line, `the processing instruction ${quote(target)} is ignored`);
  }
  if (xml.root.name === 'directive') return xml.root;
  throw invalidItem(reading, xml.root.line, `The root is <${xml.root.name}>; <directive> is expected`);
}

/** In a template `{input:name}` is not looked for. */
function filledTexts(source: string, parts: DirectiveSource, { template }: Directive): readonly FilledText[] {
  if (!template) return [{ text: source, line: 1 }];
  return [
    { text: parts.preamble, line: 1 },
    { text: parts.content, line: parts.contentLine },
  ];
}

function readActions(root: XmlElement, parts: DirectiveSource, reading: Reading): Directive['actions'] {
  const inXml = readXmlActions(root, reading);
  const inBody = readBodyActions(parts.body, parts.lineInFile, reading);
  return parts.bodyIsPreamble ? [...inBody, ...inXml] : [...inXml, ...inBody];
}
