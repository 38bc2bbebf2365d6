import type { KnowledgeItem } from '../../core/item.ts';
import { own } from '../../core/record.ts';
import { readFrontMatter } from '../front-matter.ts';
import { dropSignatureLines, leadingSignatures } from '../prose.ts';
import { invalidItem, quote, startReading, warn, warningsOf } from '../reading.ts';
import type { Parser } from './parser.ts';

/**
 * Reads knowledge: front matter (`name`, `title`) and text. The name falls back to the last part of the id, the title to
 * the name. Signature lines are left out; the rest of the text is kept, blank lines at both ends aside. A leading
 * ```` ```yaml ```` block needs a key that a field reaches to be front matter and not an example; keys that none reaches are
 * remarked on.
 */
export const parseKnowledgeFile: Parser<KnowledgeItem> = ({ item, known }) => {
  const { id, space, text: source } = item;
  const { file } = item.stamp;
  const at = { id, file };
  const reading = startReading(at);
  const matter = readFrontMatter(dropSignatureLines(source), known, file);
  if (!matter.ok) {
    const line = matter.line + leadingSignatures(source);
    throw invalidItem(at, line, `The front matter is not accepted: ${matter.reason}`);
  }
  const { data } = matter;
  for (const key of Object.keys(data)) {
    if (!known.has(key)) warn(reading, undefined, `${quote(key)} in the front matter is not known and is ignored`);
  }
  const name = textOf(data, 'name') || (id.split('/').at(-1) ?? id);
  const content = matter.content.trim();
  const value = { id, name, title: textOf(data, 'title') || name, file, space, content };
  return { value, data, text: content, warnings: warningsOf(reading), declared: true };
};

function textOf(data: Readonly<Record<string, unknown>>, key: string): string {
  const value = own(data, key);
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
}
