import type { Stats } from 'node:fs';
import { codeOf, isAbsent } from '../../core/code-of.ts';
import { SkeinError } from '../../core/errors.ts';
import { type FoundFile, readRegularFile } from '../../core/regular-file.ts';

/** More than the PEM text of an Ed25519 key takes, with room for remarks before it. */
const MAX_BYTES = 4096;

/** The text of a small file and what the file was like; undefined if there is none. Never waits, as for a pipe. */
export function readKeyFile(file: string): { readonly text: string; readonly stats: Stats } | undefined {
  const found = read(file);
  if (found === undefined) return undefined;
  if (found.kind === 'regular') return { text: found.bytes.toString(), stats: found.stats };
  const isLarge = found.kind === 'too_large';
  throw refusal(isLarge ? `it is longer than ${MAX_BYTES} bytes` : 'it is not a regular file', file);
}

function read(file: string): FoundFile | undefined {
  try {
    return readRegularFile(file, { maxBytes: MAX_BYTES });
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw refusal(`it can't be opened (${codeOf(error) ?? 'unknown'})`, file, error);
  }
}

function refusal(reason: string, file: string, cause?: unknown): SkeinError {
  return new SkeinError('key_unusable', `The key file can't be used: ${reason}`, { where: { file }, cause });
}
