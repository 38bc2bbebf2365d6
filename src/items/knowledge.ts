import type { KnowledgeItem, SpaceName } from '../core/item.ts';
import { readFrontMatter } from './front-matter.ts';
import { dropSignatureLines, isSignatureLine } from './prose.ts';
import { invalidItem } from './reading.ts';

/**
 * Reads a knowledge file: front matter (`name`, `title`) and text. The name falls back to the last part of the id, the
 * title to the name. Signature lines are left out; the rest of the text is kept, blank lines at both ends aside.
 *
 * @throws SkeinError `invalid_item` with the line for front matter that can't be read
 */
export function parseKnowledge(
  source: string,
  at: { readonly id: string; readonly file: string; readonly space: SpaceName },
): KnowledgeItem {
  const matter = readFrontMatter(dropSignatureLines(source));
  if (!matter.ok)
    throw invalidItem(
      at,
      matter.line + leadingSignatures(source),
      `The front matter is not accepted: ${matter.reason}`,
    );
  const name = textOf(matter.data, 'name') || (at.id.split('/').at(-1) ?? at.id);
  return {
    id: at.id,
    name,
    title: textOf(matter.data, 'title') || name,
    file: at.file,
    space: at.space,
    content: matter.content.trim(),
  };
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
