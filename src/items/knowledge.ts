import type { KnowledgeItem, SpaceName } from '../core/item.ts';
import { readFrontMatter } from './front-matter.ts';
import { dropSignatureLines, isSignatureLine } from './prose.ts';
import { invalidItem } from './reading.ts';

/** A knowledge item and its whole front matter. */
export type KnowledgeReading = { readonly value: KnowledgeItem; readonly data: Readonly<Record<string, unknown>> };

/**
 * Reads a knowledge file: front matter (`name`, `title`) and text. The name falls back to the last part of the id, the
 * title to the name. Signature lines are left out; the rest of the text is kept, blank lines at both ends aside.
 *
 * @param known keys of which a leading ```` ```yaml ```` block needs one to be front matter and not an example
 * @throws SkeinError `invalid_item` with the line for front matter that can't be read, `item_too_large`
 */
export function readKnowledge(
  source: string,
  at: { readonly id: string; readonly file: string; readonly space: SpaceName },
  known: ReadonlySet<string>,
): KnowledgeReading {
  const matter = readFrontMatter(dropSignatureLines(source), known, at.file);
  if (!matter.ok) {
    const line = matter.line + leadingSignatures(source);
    throw invalidItem(at, line, `The front matter is not accepted: ${matter.reason}`);
  }
  const { data, content } = matter;
  const name = textOf(data, 'name') || (at.id.split('/').at(-1) ?? at.id);
  const { id, file, space } = at;
  return { value: { id, name, title: textOf(data, 'title') || name, file, space, content: content.trim() }, data };
}

/** Signature lines before the front matter: they are gone when its lines are counted. */
function leadingSignatures(source: string): number {
  const lines = source.split('\n');
  const end = lines.findIndex((line) => line.trim() !== '' && !isSignatureLine(line));
  return lines.slice(0, end === -1 ? 0 : end).filter(isSignatureLine).length;
}

function textOf(data: Readonly<Record<string, unknown>>, key: string): string {
  const value = Object.hasOwn(data, key) ? data[key] : undefined;
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
}
