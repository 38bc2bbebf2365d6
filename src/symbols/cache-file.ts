import { hash } from 'node:crypto';
import { closeSync, constants, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../core/code-of.ts';
import { readRegularFile } from '../core/regular-file.ts';
import { isIndexedFile } from './indexed-file.ts';
import { LANGUAGES } from './languages.ts';
import { LEGEND } from './legend.ts';
import type { IndexedFile } from './symbol-task.ts';

/** What a cache file has. */
export type CacheContent = {
  readonly entries: ReadonlyMap<string, IndexedFile>;
  /** Lines that count for nothing: replaced by later ones, damaged, another release's, or another folder's. */
  readonly waste: number;
};

/** A larger file is not read, and replaced. */
const MAX_CACHE_BYTES = 256 * 1024 * 1024;

/** Counted up when the same tables make other blocks. */
const FORMAT = 2;

/** Lines of another release, whose blocks look different, are not taken for this one's. */
const RELEASE = JSON.stringify([FORMAT, LEGEND, LANGUAGES], (_, value: unknown) =>
  value instanceof RegExp || typeof value === 'function' ? String(value) : value,
);

/**
 * Reads the cache: a line a file, each with a check sum, the last one of a path counts. What is damaged, or was not written
 * in this folder, is as if it weren't there. Without a folder, or with a file that can't be read, it is empty.
 */
export function readCache(folder: string | undefined): CacheContent {
  const entries = new Map<string, IndexedFile>();
  if (folder === undefined) return { entries, waste: 0 };
  const home = homeOf(folder);
  const text = textOf(join(folder, NAME));
  if (text === undefined) return { entries, waste: Number.POSITIVE_INFINITY };
  const lines = text.split('\n').filter(Boolean);
  for (const line of lines) {
    const entry = decode(line, home);
    if (entry) entries.set(entry.path, entry);
  }
  return { entries, waste: lines.length - entries.size };
}

/** Adds to the cache, if it can be written: the index does without one as well. */
export function appendCache(folder: string | undefined, entries: readonly IndexedFile[]): void {
  if (folder === undefined || entries.length === 0) return;
  ifWritable(() => {
    // One write, so that the lines of two processes don't mix; begun on a line of its own, should the last one be torn.
    const handle = openSync(join(folder, NAME), TO_APPEND, 0o600);
    try {
      writeFileSync(handle, `\n${encode(entries, homeOf(folder))}`);
    } finally {
      closeSync(handle);
    }
  });
}

/** Replaces the cache. Lines that another process adds meanwhile may be lost: it parses those files again. */
export function replaceCache(folder: string, entries: readonly IndexedFile[]): void {
  const draft = join(folder, `${NAME}.${process.pid}`);
  ifWritable(() => {
    rmSync(draft, { force: true });
    writeFileSync(draft, encode(entries, homeOf(folder)), { mode: 0o600, flag: 'wx' });
    renameSync(draft, join(folder, NAME));
  });
}

const NAME = 'symbols.jsonl';
const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
const TO_APPEND = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;

/** Undefined for one that is too large. */
function textOf(file: string): string | undefined {
  try {
    const found = readRegularFile(file, { maxBytes: MAX_CACHE_BYTES, isReal: true });
    if (found.kind === 'too_large') return undefined;
    return found.kind === 'regular' ? found.bytes.toString() : '';
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return '';
  }
}

function ifWritable(write: () => void): void {
  try {
    write();
  } catch (error) {
    // A full or read-only disk costs the next process its time, and nothing else.
    if (codeOf(error) === undefined) throw error;
  }
}

/**
 * What the cache's folder is here and nowhere else: blocks are text of prompts, and who sends a project along must not write them.
 * The inode may be guessed, one a line; when the folder was made, where the file system knows it, can't. The device may have another
 * number after each start.
 */
function homeOf(folder: string): string {
  const stats = statSync(folder, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.ino}:${stats.birthtimeNs}`;
}

function encode(entries: readonly IndexedFile[], home: string): string {
  return entries
    .map((entry) => JSON.stringify(entry))
    .map((json) => `${checkSum(json, home)} ${json}\n`)
    .join('');
}

function decode(line: string, home: string): IndexedFile | undefined {
  const json = line.slice(SUM_LENGTH + 1);
  if (line.slice(0, SUM_LENGTH) !== checkSum(json, home)) return undefined;
  const entry: unknown = JSON.parse(json);
  return isIndexedFile(entry) ? entry : undefined;
}

const SUM_LENGTH = 16;
const RELEASE_SUM = hash('sha256', RELEASE);

function checkSum(json: string, home: string): string {
  return hash('sha256', `${RELEASE_SUM}${home}\n${json}`).slice(0, SUM_LENGTH);
}
