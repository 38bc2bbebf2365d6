import { ASSEMBLIES, type Assembly } from '../core/assembly.ts';
import type { Directive } from '../core/item.ts';
import { readItemId } from './directive-head.ts';
import { readText, warnText, warnUnknownAttributes } from './directive-sections.ts';
import { invalidItem, quote, type Reading, warn } from './reading.ts';
import { elementsOf, type XmlElement } from './xml-tree.ts';

type Context = Directive['context'];

/**
 * Reads `<context>` (S0, S3): knowledge ids in `<system>`, `<before>`, `<after>`, and in `<suppress>` ids of hooks or
 * items, each in order and once; and its `assembly`.
 *
 * @throws SkeinError `invalid_item` for a knowledge id that is refused, or an assembly that there is not
 */
export function readContext(elements: readonly XmlElement[], reading: Reading): Context {
  const found = { system: new Set<string>(), before: new Set<string>(), after: new Set<string>() };
  const suppress = new Set<string>();
  const assembly = elements.reduce<Assembly | undefined>(
    (one, element) => readAssembly(element, reading) ?? one,
    undefined,
  );
  for (const child of elements.flatMap(elementsOf)) {
    const { name, line } = child;
    const text = readText(child, reading);
    if (text === '') warn(reading, line, `an empty <${name}> in <context> is ignored`);
    else if (name === 'suppress') add(suppress, { id: text, child }, reading);
    else if (name === 'system' || name === 'before' || name === 'after')
      add(found[name], { id: readItemId(text, reading, line), child }, reading);
    else warn(reading, line, `<${name}> in <context> is not known and is ignored`);
  }
  return {
    system: [...found.system],
    before: [...found.before],
    after: [...found.after],
    suppress: [...suppress],
    ...(assembly && { assembly }),
  };
}

type Named = { readonly id: string; readonly child: XmlElement };

function add(ids: Set<string>, { id, child: { name, line } }: Named, reading: Reading): void {
  if (ids.has(id)) warn(reading, line, `a second <${name}>${id}</${name}> in <context> is ignored`);
  ids.add(id);
}

function readAssembly(element: XmlElement, reading: Reading): Assembly | undefined {
  warnText(element, reading);
  warnUnknownAttributes(element, ['assembly'], reading);
  const said = element.attributes.get('assembly');
  const known = ASSEMBLIES.find((assembly) => assembly === said);
  if (said === undefined || known) return known;
  const message = `assembly=${quote(said)} in <context>: ${ASSEMBLIES.join(' or ')} is expected`;
  throw invalidItem(reading, element.line, message);
}
