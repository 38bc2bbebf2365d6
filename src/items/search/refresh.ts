import { type Failure, toFailure } from '../../core/errors.ts';
import { type FileStamp, fileHash, sameStamp, fileStamp } from './file-stamp.ts';
import type { IndexEntry, IndexedDocument } from './index-entry.ts';
import type { ItemFinding, StoredItem } from './index-rows.ts';
import { itemKey } from './known-items.ts';
import { WriteQueue, type WrittenIndex } from './write-queue.ts';

/** What a refresh did. */
export type RefreshReport = {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly unchanged: number;
  /** Files that can't be searched, and why. */
  readonly skipped: readonly SkippedItem[];
  /** What there is to know about the index itself: that it is in memory, that changes have to wait, what it lacks. */
  readonly notes: readonly string[];
};

/** An item file that is left out. */
export type SkippedItem = IndexEntry & { readonly failure: Failure };

/** Where items come from. */
export type ItemSource = {
  /** Every item once; `note`: what there is to know about the list itself, such as where it stops. */
  readonly list: (note: (text: string) => void) => Iterable<IndexEntry>;
  /** @throws SkeinError for a file that can't be read as an item */
  readonly read: (entry: IndexEntry) => IndexedDocument;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

/** A file changed shortly before it was looked at may change again under the same stamp: some file systems count seconds. */
const STAMP_STEP_MS = 2000;

/** Brings the index up to date with the files, in steps that read at most one file each. */
export function* refreshItems(index: WrittenIndex, source: ItemSource): Generator<void, RefreshReport> {
  const queue = new WriteQueue(index, source.now);
  const seen = new Set<string>();
  const skipped: SkippedItem[] = [];
  let unchanged = 0;
  yield* index.known.reload();
  const notes: string[] = [];
  for (const entry of source.list((text) => notes.push(text))) {
    yield;
    const key = itemKey(entry);
    const found = seen.has(key) ? PASSED_OVER : lookAt(entry, index);
    if (found === undefined) continue;
    const finding = found.kind === 'different' && !queue.isBlocked ? readItem(entry, found, source) : undefined;
    if (finding?.content.kind === 'problem' && fileStamp(entry.file) === undefined) continue;
    seen.add(key);
    const failure = found.kind === 'different' ? problemOf(finding) : found.problem;
    if (failure !== undefined) skipped.push({ ...entry, failure });
    else if (found.kind === 'unchanged') unchanged++;
    if (finding !== undefined) yield* queue.put(finding);
    else if (found.kind === 'different') queue.postponed++;
  }
  for (const item of index.known.all()) if (!seen.has(itemKey(item))) yield* queue.remove(item);
  yield* queue.flush();
  const { added, changed, removed } = queue.counts;
  notes.push(...notesOf(queue));
  return { added, changed, removed, unchanged: unchanged + queue.counts.unchanged, skipped, notes };
}

/** What a look at a file's stamp says. */
type Look =
  | { readonly kind: 'unchanged'; readonly problem: Failure | undefined }
  | { readonly kind: 'different'; readonly stamp: FileStamp; readonly stored: StoredItem | undefined };

const PASSED_OVER: Look = {
  kind: 'unchanged',
  problem: { code: 'invalid_item', message: 'another file of the same id in the same space comes first' },
};

/** @returns undefined if the file is gone */
function lookAt(entry: IndexEntry, { known, rows }: WrittenIndex): Look | undefined {
  const stamp = fileStamp(entry.file);
  if (stamp === undefined) return undefined;
  const isKept = (item: StoredItem | undefined): item is StoredItem =>
    item !== undefined && item.settled && item.file === entry.file && sameStamp(item, stamp);
  const item = known.get(entry);
  if (isKept(item)) return { kind: 'unchanged', problem: item.problem };
  // Another process may have read it in the meantime.
  const stored = rows.find(entry);
  if (!isKept(stored)) return { kind: 'different', stamp, stored };
  known.set(stored);
  return { kind: 'unchanged', problem: stored.problem };
}

function readItem(entry: IndexEntry, { stamp, stored }: Look & { kind: 'different' }, source: ItemSource): ItemFinding {
  const time = source.now();
  const hash = fileHash(entry.file);
  const settled = hash !== undefined && stamp.mtimeMs < time - STAMP_STEP_MS;
  const isSame = hash !== undefined && stored?.hash === hash && stored.file === entry.file && !stored.problem;
  const content = isSame ? ({ kind: 'same' } as const) : readContent(entry, source);
  return { entry, stamp, settled, hash, content };
}

function readContent(entry: IndexEntry, { read }: ItemSource): ItemFinding['content'] {
  try {
    return { kind: 'document', document: read(entry) };
  } catch (error) {
    return { kind: 'problem', problem: toFailure(error) };
  }
}

function problemOf(finding: ItemFinding | undefined): Failure | undefined {
  return finding?.content.kind === 'problem' ? finding.content.problem : undefined;
}

function notesOf({ postponed }: WriteQueue): string[] {
  if (postponed === 0) return [];
  return [`another process is writing to the item index; changes that wait for the next refresh: ${postponed}`];
}
