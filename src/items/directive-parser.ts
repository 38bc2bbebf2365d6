import type { Directive } from '../core/item.ts';
import { readBodyActions } from './body-actions.ts';
import { readInputs } from './declared-inputs.ts';
import { readOutputs } from './declared-outputs.ts';
import { readContext } from './directive-context.ts';
import { readHead } from './directive-head.ts';
import { readHooks } from './directive-hooks.ts';
import { readLimits } from './directive-limits.ts';
import { readPermissions } from './directive-permissions.ts';
import { findSections } from './directive-sections.ts';
import { type DirectiveSource, splitDirective } from './directive-source.ts';
import { invalidItem, type Reading, startReading } from './reading.ts';
import { readXmlActions } from './xml-actions.ts';
import { readXml, type XmlElement } from './xml-tree.ts';

/**
 * Parses a directive file: Markdown with a ```` ```xml ```` block whose root is `<directive>` (S2 §1, S0; contracts,
 * "Items and directives"). Pure and linear; the text may be hostile.
 *
 * @param at the item's id, and the file named in errors
 * @throws SkeinError `invalid_item` with file, line and reason, or `item_too_large`
 */
export function parseDirective(source: string, at: { readonly id: string; readonly file: string }): Directive {
  const reading = startReading(at);
  const parts = splitDirective(source, reading);
  const root = readRoot(parts, reading);
  const sections = findSections(root, reading);
  return {
    id: at.id,
    ...readHead(root, sections, reading),
    limits: readLimits(sections.limits, reading),
    permissions: readPermissions(sections.permissions, reading),
    context: readContext(sections.context, reading),
    hooks: readHooks(sections.hooks, reading),
    inputs: readInputs(sections.inputs, reading),
    outputs: readOutputs(sections.outputs, reading),
    preamble: parts.preamble,
    body: parts.body,
    content: parts.content,
    actions: readActions(root, parts, reading),
    warnings: reading.warnings,
  };
}

function readRoot({ content, contentLine }: DirectiveSource, reading: Reading): XmlElement {
  const xml = readXml(content, contentLine);
  if (!xml.ok) throw invalidItem(reading, xml.line, `The XML of the directive is not accepted: ${xml.reason}`);
  if (xml.root.name === 'directive') return xml.root;
  throw invalidItem(reading, xml.root.line, `The root is <${xml.root.name}>; <directive> is expected`);
}

function readActions(root: XmlElement, parts: DirectiveSource, reading: Reading): Directive['actions'] {
  const inXml = readXmlActions(root, reading);
  const inBody = readBodyActions(parts.body, parts.bodyLine, reading);
  return parts.bodyIsPreamble ? [...inBody, ...inXml] : [...inXml, ...inBody];
}
