import { hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs';

/** What a file was like when it was looked at. */
export type FileStamp = { readonly size: number; readonly mtimeMs: number; readonly ctimeMs: number };

/** The stamp of a file that can't be looked at: reading it will say why. */
const UNREADABLE: FileStamp = { size: 0, mtimeMs: 0, ctimeMs: 0 };

/** A file of more bytes is no item, and is not read for its hash. */
const MAX_HASHED_BYTES = 1024 * 1024;

/** @returns undefined if there is no such file (any more) */
export function stampOf(file: string): FileStamp | undefined {
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
export function hashOf(file: string): string | undefined {
  try {
    // A folder of the space may lead out of it: whether it does is said where the item is read.
    if (realpathSync.native(file) !== file) return undefined;
    const bytes = readSmallFile(file);
    return bytes && hash('sha256', bytes, 'base64url');
  } catch (error) {
    if (isFileError(error)) return undefined;
    throw error;
  }
}

/** Opened non-blocking, so that a named pipe in the file's place can't hang the thread. */
function readSmallFile(file: string): Uint8Array | undefined {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const opened = fstatSync(handle);
    if (!opened.isFile() || opened.size > MAX_HASHED_BYTES) return undefined;
    const bytes = new Uint8Array(opened.size);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(handle, bytes, length, bytes.length - length, length);
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(handle);
  }
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
