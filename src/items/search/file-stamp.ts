import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { readRegularFile } from '../../core/regular-file.ts';

/** What a file was like when it was looked at. */
export type FileStamp = { readonly size: number; readonly mtimeMs: number; readonly ctimeMs: number };

/** The stamp of a file that can't be looked at: reading it will say why. */
const UNREADABLE: FileStamp = { size: 0, mtimeMs: 0, ctimeMs: 0 };

/** A file of more bytes is no item, and is not read for its hash. */
const MAX_HASHED_BYTES = 1024 * 1024;

/** @returns undefined if there is no such file (any more) */
export function fileStamp(file: string): FileStamp | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if (isFileError(error)) return UNREADABLE;
    throw error;
  }
}

/** Whether nothing about the file looks different. */
export function sameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
}

/** The SHA-256 of a file's bytes; undefined if they can't be read, are too many, or lie behind a symbolic link. */
export function fileHash(file: string): string | undefined {
  try {
    // A folder of the space may lead out of it: whether it does is said where the item is read.
    const found = readRegularFile(file, { maxBytes: MAX_HASHED_BYTES, isReal: true });
    return found.kind === 'regular' ? hash('sha256', found.bytes, 'base64url') : undefined;
  } catch (error) {
    if (isFileError(error)) return undefined;
    throw error;
  }
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
