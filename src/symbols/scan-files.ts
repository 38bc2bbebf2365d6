import { hash } from 'node:crypto';
import { appendCache, type CacheContent, readCache, replaceCache } from './cache-file.ts';
import { lookAt, stampOf } from './file-stamp.ts';
import { languageOf } from './languages.ts';
import { listFiles } from './list-files.ts';
import { readProjectFile } from './project-file.ts';
import type { IndexedFile, ScanResult, ScanTask } from './symbol-task.ts';

/**
 * Looks at the project's files: by what they look like from outside first, by their content where that has changed. The
 * cache is read only for files the asker knows nothing of, if there are many or it knows none at all: all of it takes longer to
 * read than a few files to parse.
 */
export function scanFiles(task: ScanTask): ScanResult {
  const listing = task.only ? undefined : listFiles(task.root);
  const found: Found = { entries: [], stale: [], fresh: [], gone: [], moved: [] };
  const lookup = lazily(() => readCache(task.cacheFolder));
  for (const path of listing?.files ?? task.only ?? []) {
    if (languageOf(path)) scanFile(path, task, found);
    else if (task.only && !lookAt(task.root, path)) found.gone.push(path);
  }
  const isFew = found.fresh.length <= FEW && Object.keys(task.known).length > 0;
  if (isFew) found.stale.push(...found.fresh);
  else for (const file of found.fresh) lookUp(file, { task, found, lookup });
  const { entries, stale, gone } = found;
  tidy(found, { task, lookup });
  return { ...(listing && { files: listing.files }), entries, stale, gone, leftOut: listing?.leftOut ?? [] };
}

/** New files that are parsed without a look into the cache. */
const FEW = 25;

type Stamped = { readonly path: string; readonly stamp: string };
type Found = {
  readonly entries: IndexedFile[];
  readonly stale: Stamped[];
  /** Those the asker does not know. */
  readonly fresh: Stamped[];
  readonly gone: string[];
  /** Those whose content is the same under another stamp. */
  readonly moved: IndexedFile[];
};

type Lookup = { readonly value: () => CacheContent; readonly isRead: () => boolean };
type Scan = { readonly task: ScanTask; readonly found: Found; readonly lookup: Lookup };

function scanFile(path: string, task: ScanTask, found: Found): void {
  const stats = lookAt(task.root, path);
  if (!stats) return void found.gone.push(path);
  const stamp = stampOf(stats, task.now);
  const isKnown = Object.hasOwn(task.known, path);
  if (stamp !== '' && isKnown && task.known[path] === stamp) return;
  // What is known or asked for by name has been edited, which the cache can't know better.
  (isKnown || task.only ? found.stale : found.fresh).push({ path, stamp });
}

function lookUp({ path, stamp }: Stamped, { task, found, lookup }: Scan): void {
  const cached = lookup.value().entries.get(path);
  const isSame = cached && stamp !== '' && cached.stamp === stamp;
  const entry = isSame ? cached : cached && restamped(cached, task);
  if (!entry) return void found.stale.push({ path, stamp });
  found.entries.push(entry);
  if (entry !== cached && entry.stamp !== cached?.stamp) found.moved.push(entry);
}

/** The same entry for a file that was touched, if its bytes are the same. */
function restamped(cached: IndexedFile, { root, now }: ScanTask): IndexedFile | undefined {
  if (cached.content === '') return undefined;
  const file = readProjectFile(root, cached.path);
  if (file?.kind !== 'text' || hash('sha256', file.bytes) !== cached.content) return undefined;
  return { ...cached, stamp: stampOf(file.stats, now) };
}

/** Lines that count for nothing before the cache is written anew. */
const MAX_WASTE = 1000;

function tidy({ entries, moved }: Found, { task, lookup }: Omit<Scan, 'found'>): void {
  if (!lookup.isRead() || task.cacheFolder === undefined) return;
  const { waste, entries: cached } = lookup.value();
  const isComplete = task.only === undefined && Object.keys(task.known).length === 0;
  if (isComplete && waste + cached.size - entries.length > MAX_WASTE + entries.length)
    replaceCache(task.cacheFolder, entries);
  else appendCache(task.cacheFolder, moved);
}

function lazily(read: () => CacheContent): Lookup {
  let content: CacheContent | undefined;
  return { value: () => (content ??= read()), isRead: () => content !== undefined };
}
