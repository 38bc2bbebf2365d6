import type { ItemFinding, StoredItem } from './index-rows.ts';
import type { Connection } from './index-schema.ts';
import type { KnownItems } from './known-items.ts';
import { mergeSegments } from './merge-segments.ts';
import { isBusy, whileBusy } from './sqlite-faults.ts';
import { type Change, type Effect, type WritableIndex, writeChanges } from './write-changes.ts';

/** What a {@link WriteQueue} writes to. */
export type WrittenIndex = WritableIndex & { readonly db: Connection; readonly known: KnownItems };

/** A transaction takes no more work after this long; ending it takes about as long again. */
const TRANSACTION_MS = 1;

/** The queue is written when there are this many changes, or this many characters. */
const BATCH_SIZE = 64;
const BATCH_LENGTH = 256 * 1024;

/**
 * The changes of one refresh on their way into the index, in short transactions. If another connection does not let go
 * of the index, the changes are left to a later refresh.
 */
export class WriteQueue {
  readonly counts: Record<Effect, number> = { added: 0, changed: 0, removed: 0, unchanged: 0, skipped: 0, gone: 0 };
  /** Changes that were not written because the index was locked. */
  postponed = 0;
  /** Whether it has turned out in this refresh that the index can't be written. */
  isBlocked = false;
  readonly #index: WrittenIndex;
  readonly #now: () => number;
  #changes: Change[] = [];
  #length = 0;

  constructor(index: WrittenIndex, now: () => number) {
    this.#index = index;
    this.#now = now;
  }

  *put(finding: ItemFinding): Generator<void, void> {
    this.#length += finding.content.kind === 'document' ? finding.content.document.text.length : 0;
    yield* this.#add({ kind: 'put', finding });
  }

  *remove(item: StoredItem): Generator<void, void> {
    yield* this.#add({ kind: 'remove', item });
  }

  *#add(change: Change): Generator<void, void> {
    this.#changes.push(change);
    if (this.#changes.length >= BATCH_SIZE || this.#length >= BATCH_LENGTH) yield* this.flush();
  }

  /** Writes what is waiting. */
  *flush(): Generator<void, void> {
    try {
      while (this.#changes.length > 0) {
        yield* whileBusy(() => this.#writeSome());
        yield;
        yield* mergeSegments(this.#index.db);
      }
    } catch (error) {
      if (!isBusy(error)) throw error;
      this.isBlocked = true;
      this.postponed += this.#changes.length;
      this.#changes = [];
    }
    this.#length = 0;
  }

  #writeSome(): void {
    const { db, known } = this.#index;
    const began = this.#now();
    const isEnough = (): boolean => this.#now() - began >= TRANSACTION_MS;
    const applied = db.transaction(() => writeChanges(this.#index, this.#changes, isEnough)).immediate();
    this.#changes = this.#changes.slice(applied.length);
    for (const { effect, change, after } of applied) {
      this.counts[effect]++;
      if (after !== undefined) known.set(after);
      else known.delete(change.kind === 'put' ? change.finding.entry : change.item);
    }
  }
}
