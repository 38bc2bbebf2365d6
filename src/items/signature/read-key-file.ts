import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { codeOf } from '../../core/code-of.ts';
import { SkeinError } from '../../core/errors.ts';

/** More than the PEM text of an Ed25519 key takes, with room for remarks before it. */
const MAX_BYTES = 4096;

/** The text of a small file and what the file was like; undefined if there is none. Never waits, as for a pipe. */
export function readKeyFile(file: string): { readonly text: string; readonly stats: Stats } | undefined {
  const handle = open(file);
  if (handle === undefined) return undefined;
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile()) throw refusal('it is not a regular file', file);
    const bytes = Buffer.alloc(MAX_BYTES + 1);
    const length = readSync(handle, bytes, 0, bytes.length, 0);
    if (length > MAX_BYTES) throw refusal(`it is longer than ${MAX_BYTES} bytes`, file);
    return { text: bytes.toString('utf8', 0, length), stats };
  } finally {
    closeSync(handle);
  }
}

function open(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = codeOf(error) ?? 'unknown';
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw refusal(`it can't be opened (${code})`, file);
  }
}

function refusal(reason: string, file: string): SkeinError {
  return new SkeinError('key_unusable', `The key file can't be used: ${reason}`, { where: { file } });
}
