import type { Directive } from '../core/item.ts';
import { readItemId } from './directive-head.ts';
import { readText, warnAround } from './directive-sections.ts';
import { type Reading, warn } from './reading.ts';
import { elementsOf, type XmlElement } from './xml-tree.ts';

type Context = Directive['context'];

/**
 * Reads `<context>` (S0, S3): knowledge ids in `<system>`, `<before>`, `<after>`, and in `<suppress>` ids of hooks or
 * items, each in order and once.
 *
 * @throws SkeinError `invalid_item` for a knowledge id that is refused
 */
export function readContext(elements: readonly XmlElement[], reading: Reading): Context {
  const found = { system: new Set<string>(), before: new Set<string>(), after: new Set<string>() };
  const suppress = new Set<string>();
  warnAround(elements, reading);
  for (const child of elements.flatMap(elementsOf)) {
    const { name, line } = child;
    const text = readText(child, reading);
    if (text === '') warn(reading, line, `an empty <${name}> in <context> is ignored`);
    else if (name === 'suppress') suppress.add(text);
    else if (name === 'system' || name === 'before' || name === 'after')
      found[name].add(readItemId(text, reading, line));
    else warn(reading, line, `<${name}> in <context> is not known and is ignored`);
  }
  return { system: [...found.system], before: [...found.before], after: [...found.after], suppress: [...suppress] };
}
