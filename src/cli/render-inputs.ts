import { readFileSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { messageOf } from '../core/errors.ts';
import type { ValueType } from '../core/item.ts';
import type { PromptyAgent, PromptyKind } from '../core/prompty-agent.ts';
import { SkeinError } from '../index.ts';
import { fitValue } from '../items/value-types.ts';

/** The types whose spellings the kinds of an input take; media are texts, or files behind `@`. */
const TYPES: Readonly<Partial<Record<PromptyKind, ValueType>>> = {
  integer: 'integer',
  float: 'number',
  number: 'number',
  boolean: 'boolean',
  array: 'array',
  object: 'object',
  thread: 'array',
};

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.pdf': 'application/pdf',
  '.txt': 'text/plain',
  '.md': 'text/markdown',
  '.csv': 'text/csv',
  '.json': 'application/json',
  '.wav': 'audio/wav',
  '.mp3': 'audio/mpeg',
  '.ogg': 'audio/ogg',
  '.flac': 'audio/flac',
};

/**
 * Inputs from a command line as the kinds of a prompt's inputs ask; what is not declared is text.
 *
 * @param cwd where relative paths behind `@` begin
 * @throws SkeinError `invalid_argument` for a value that does not fit its kind, or a file that can't be read
 */
export function renderInputs(
  { inputs }: PromptyAgent,
  given: Readonly<Record<string, string>>,
  cwd: string,
): Readonly<Record<string, unknown>> {
  const kinds = new Map(inputs.map(({ name, kind }) => [name, kind]));
  const read = Object.entries(given).map(([name, text]) => [name, valueOf({ name, text, cwd }, kinds.get(name))]);
  return Object.fromEntries(read);
}

type Given = { readonly name: string; readonly text: string; readonly cwd: string };

function valueOf({ name, text, cwd }: Given, kind: PromptyKind = 'string'): unknown {
  const isMedia = kind === 'image' || kind === 'file' || kind === 'audio';
  if (isMedia && text.startsWith('@')) return readMedia(name, resolve(cwd, text.slice(1)));
  const type = TYPES[kind];
  if (type === undefined) return text;
  const fitted = fitValue(text, type);
  if (fitted.ok) return fitted.value;
  throw new SkeinError(
    'invalid_argument',
    `--input ${name} is ${JSON.stringify(text)}; ${fitted.expected} is expected`,
  );
}

function readMedia(name: string, file: string): Readonly<Record<string, string>> {
  try {
    const mediaType = MEDIA_TYPES[extname(file).toLowerCase()];
    return { value: readFileSync(file).toString('base64'), name: basename(file), ...(mediaType && { mediaType }) };
  } catch (cause) {
    const reason = messageOf(cause);
    throw new SkeinError('invalid_argument', `--input ${name}: ${reason}`, { where: { file }, cause });
  }
}
