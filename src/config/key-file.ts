import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { SkeinError } from '../core/errors.ts';
import { isRecord } from '../core/record.ts';
import type { Document } from './merge.ts';

/** No key is longer; what is, is another file. */
const MAX_BYTES = 16 * 1024;

/**
 * The key in a file, without the white space around it.
 *
 * @throws SkeinError `provider_key_missing` naming the file, never what is in it
 */
export function readKeyFile(file: string): string {
  const key = readStart(file).trim();
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

function readStart(file: string): string {
  const opened = open(file);
  try {
    const stat = fstatSync(opened);
    if (!stat.isFile()) throw refusal(file, 'is not a file');
    if (stat.size > MAX_BYTES) throw refusal(file, `has more than ${MAX_BYTES} bytes`);
    const bytes = Buffer.alloc(MAX_BYTES);
    return bytes.toString('utf8', 0, readSync(opened, bytes));
  } finally {
    closeSync(opened);
  }
}

function open(file: string): number {
  try {
    // Opening a pipe would wait for somebody to write to it.
    return openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (cause) {
    throw refusal(file, 'can not be read', cause);
  }
}

function refusal(file: string, problem: string, cause?: unknown): SkeinError {
  return new SkeinError('provider_key_missing', `The file of a key ${problem}`, { where: { file }, cause });
}
