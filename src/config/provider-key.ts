import { resolve } from 'node:path';
import { SkeinError } from '../core/errors.ts';
import { isRecord } from '../core/record.ts';
import { type FoundFile, readRegularFile } from '../core/regular-file.ts';
import type { Document } from './merge.ts';

/** No key is longer; what is, is another file. */
const MAX_BYTES = 16 * 1024;

/**
 * The key in a file, without the white space around it.
 *
 * @throws SkeinError `provider_key_missing` naming the file, never what is in it
 */
export function readProviderKey(file: string): string {
  const key = textOf(file).trim();
  if (key === '') throw refusal(file, 'is empty');
  return key;
}

/** A document of `agent.yaml` whose key files are absolute: they are meant from the folder of the file that names them. */
export function withKeyFiles(document: Document, folder: string): Document {
  const { providers } = document;
  if (!isRecord(providers)) return document;
  const resolved = Object.entries(providers).map(([name, provider]) => [name, withKeyFile(provider, folder)]);
  return { ...document, providers: Object.fromEntries(resolved) };
}

function withKeyFile(provider: unknown, folder: string): unknown {
  const file = isRecord(provider) ? provider['api_key_file'] : undefined;
  // Anything but a text is left to the schema.
  return isRecord(provider) && typeof file === 'string'
    ? { ...provider, api_key_file: resolve(folder, file) }
    : provider;
}

function textOf(file: string): string {
  const found = read(file);
  if (found.kind === 'regular') return found.bytes.toString();
  throw refusal(file, found.kind === 'too_large' ? `has more than ${MAX_BYTES} bytes` : 'is not a file');
}

function read(file: string): FoundFile {
  try {
    return readRegularFile(file, { maxBytes: MAX_BYTES });
  } catch (cause) {
    throw refusal(file, 'can not be read', cause);
  }
}

function refusal(file: string, problem: string, cause?: unknown): SkeinError {
  return new SkeinError('provider_key_missing', `The file of a key ${problem}`, { where: { file }, cause });
}
