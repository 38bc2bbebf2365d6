import type { PromptyAgent } from '../core/prompty-agent.ts';
import { opensFrontMatter } from './dashed-front-matter.ts';
import { readFrontMatter } from './front-matter.ts';
import { PROMPTY_KEYS, readPromptyFields } from './prompty-fields.ts';
import { type PromptyReferences, resolveReferences } from './prompty-references.ts';
import { dropSignatureLines, leadingSignatures } from './prose.ts';
import { invalidItem } from './reading.ts';

/** What a prompt is called in errors, and unless it has a name of its own. */
export type PromptyPlace = { readonly file: string; readonly name: string };

/** A prompt, and its front matter as it is written. */
export type PromptyReading = { readonly agent: PromptyAgent; readonly data: Readonly<Record<string, unknown>> };

/**
 * Reads a `.prompty` file: front matter between `---` lines, below it the template. Without front matter everything is the
 * template. Signature lines are no part of either.
 *
 * @param references left out: `${env:…}` and `${file:…}` stay as they are written
 * @throws SkeinError `invalid_item` with file and line, `item_too_large`
 */
export function readPrompty(source: string, at: PromptyPlace, references?: PromptyReferences): PromptyReading {
  const text = dropSignatureLines(source);
  const head = opensFrontMatter(text) ? readHead(text, source, at) : { data: {}, content: text };
  const refuse = (path: readonly string[], message: string): Error =>
    invalidItem(at, lineOf(source, path), `${path.join('.')}: ${message}`);
  const resolved = references ? resolveReferences(head.data, references) : { ok: true as const, data: head.data };
  if (!resolved.ok) throw refuse(resolved.path, resolved.message);
  const read = readPromptyFields(resolved.data);
  if (!read.ok) throw refuse(read.path, read.message);
  const { fields } = read;
  const origin = { file: at.file, ...placeOf(head.content, { text, source }) };
  return { agent: { ...fields, name: fields.name || at.name, instructions: head.content, origin }, data: head.data };
}

type Head = { readonly data: Readonly<Record<string, unknown>>; readonly content: string };

function readHead(text: string, source: string, at: PromptyPlace): Head {
  const matter = readFrontMatter(text, PROMPTY_KEYS, at.file);
  if (!matter.ok)
    throw invalidItem(
      at,
      matter.line + leadingSignatures(source),
      `The front matter is not accepted: ${matter.reason}`,
    );
  if (matter.content === text) throw invalidItem(at, 1, 'The front matter has no closing line: --- is expected');
  return { data: matter.data, content: matter.content.replace(/^\s+/, '') };
}

/** The line of the file in which the end of its text begins, and what is before it there. Signature lines are no part of the text. */
function placeOf(end: string, { text, source }: { text: string; source: string }): { line: number; indent?: number } {
  const above = text.slice(0, text.length - end.length).split('\n');
  const kept = text.split('\n');
  let passed = 0;
  const found = source.split('\n').findIndex((each) => each === kept[passed] && ++passed === above.length);
  // Not found: an empty end, with a signature as the last line before it.
  const line = found === -1 ? above.length : found + 1;
  const indent = above.at(-1)?.length ?? 0;
  return indent > 0 ? { line, indent } : { line };
}

/** The line of a key, looked for by the names on the way to it; of what is not found, the last that was. */
function lineOf(source: string, path: readonly string[]): number {
  const lines = source.split('\n');
  let found = 0;
  for (const key of path) {
    const next = lines.findIndex((line, at) => at > found && isKey(line, key));
    if (next !== -1) found = next;
  }
  return found + 1;
}

function isKey(line: string, key: string): boolean {
  const text = line.replace(/^[ \t]*(?:-[ \t]+)?/, '');
  return [`${key}:`, `"${key}":`, `'${key}':`, `name: ${key}`].some((start) => text.startsWith(start));
}
