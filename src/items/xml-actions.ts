import type { Action } from '../core/item.ts';
import { buildAction, isPrimaryAction } from './action.ts';
import { isSectionName, warnElements, warnText, warnUnknownAttributes } from './directive-sections.ts';
import { invalidItem, type Reading, warn } from './reading.ts';
import { elementsOf, textOf, type XmlElement } from './xml-tree.ts';

type Named = readonly (readonly [name: string, value: string])[];

/**
 * Collects the actions of a directive's XML in document order, at any depth (S2 §1): everywhere but in `<metadata>`
 * and in the sections that stand directly under `<directive>`, where the same names mean permissions, hooks or outputs.
 */
export function readXmlActions(root: XmlElement, reading: Reading): Action[] {
  return elementsOf(root)
    .filter((element) => !isSectionName(element.name))
    .flatMap((element) => collect(element, reading));
}

/**
 * Reads one action element: attributes, and `<param name value>` or `<param name>value</param>` children.
 *
 * @throws SkeinError `invalid_item` for an action that brings the internal context of a call with it
 */
export function readXmlAction(element: XmlElement, reading: Reading): Action | undefined {
  if (!isPrimaryAction(element.name)) return undefined;
  warnText(element, reading);
  for (const { name, line } of elementsOf(element)) {
    if (name !== 'param' && !isPrimaryAction(name)) warn(reading, line, `<${name}> in <${element.name}> is ignored`);
  }
  const { name: primary, attributes, line } = element;
  const params = readXmlParams(element, reading);
  refuseContext([...attributes, ...params], line, reading);
  return buildAction({ primary, attributes, params, line }, reading);
}

/** Only the runtime gives a call its internal context, and never a file. */
export function refuseContext(names: Named, line: number, reading: Reading): void {
  if (!bringsContext(names)) return;
  throw invalidItem(reading, line, '"_thread_context" can\'t be given in a file');
}

/** Whether attributes or params, as pairs of name and value, are to give a call its internal context. */
export function bringsContext(names: Named): boolean {
  return names.some(([name]) => name === '_thread_context');
}

/** The `<param>` children of an element as pairs; the `value` attribute wins over the text. */
export function readXmlParams(element: XmlElement, reading: Reading): [string, string][] {
  return elementsOf(element)
    .filter((child) => child.name === 'param')
    .map((param) => {
      warnUnknownAttributes(param, ['name', 'value'], reading);
      warnElements(param, reading);
      const value = param.attributes.get('value');
      if (value !== undefined) warnText(param, reading);
      return [param.attributes.get('name') ?? '', value ?? textOf(param)];
    });
}

function collect(element: XmlElement, reading: Reading): Action[] {
  if (element.name === 'metadata' || element.name === 'param') return [];
  const action = readXmlAction(element, reading);
  const nested = elementsOf(element).flatMap((child) => collect(child, reading));
  return action === undefined ? nested : [action, ...nested];
}
