import { messageOf } from '../../core/errors.ts';
import type { FieldColumn } from './field-columns.ts';
import { createItemFinder, type ItemFinder } from './find-items.ts';
import { type IndexFile, isInPlace, openIndexFile, openInMemory } from './index-file.ts';
import { createIndexRows } from './index-rows.ts';
import { createKnownItems } from './known-items.ts';
import { createItemTexts } from './item-texts.ts';
import { type Cure, cureFor, indexFailure, isSqlError } from './sqlite-faults.ts';
import type { WrittenIndex } from './write-queue.ts';

/** An index that can be written and searched. */
export type OpenIndex = WrittenIndex & { readonly file: IndexFile; readonly find: ItemFinder };

/** Which index to open. */
export type IndexConnectionOptions = {
  readonly file: string;
  readonly columns: readonly FieldColumn[];
  readonly revision: () => string;
};

/** How often a failing index is mended before the failure is passed on: made anew, then kept in memory. */
const MAX_CURES = 2;

/**
 * Owns the connection to the index and what is planned to mend it.
 * 1. Only `current` opens a connection, so that `opened` is usable wherever it is set.
 * 2. A cure is planned where a failure shows, and done by the next `current`.
 */
export class IndexConnection {
  readonly #options: IndexConnectionOptions;
  #opened: OpenIndex | undefined;
  #revision: string | undefined;
  /** Which file was opened last, also if it turned out to be of no use. */
  #home: string | undefined;
  #cure: { readonly kind: Cure; readonly reason: string; readonly home: string | undefined } | undefined;

  constructor(options: IndexConnectionOptions) {
    this.#options = options;
  }

  /** Undefined before the first `current`, while one is at work, and after `close`. */
  get opened(): OpenIndex | undefined {
    return this.#opened;
  }

  get needsCure(): boolean {
    return this.#cure !== undefined;
  }

  /** The open index, opened anew if that is needed. */
  *current(): Generator<void, OpenIndex> {
    const opened = this.#opened;
    const cure = this.#cure;
    const revision = this.#options.revision();
    const isAsBefore = opened !== undefined && cure === undefined && revision === this.#revision;
    if (isAsBefore && isInPlace(opened.file, this.#options.file)) return opened;
    this.close();
    this.#cure = undefined;
    const options = { ...this.#options, revision };
    const file =
      cure?.kind === 'memory'
        ? openInMemory(options, cure.reason)
        : yield* openIndexFile({ ...options, damaged: cure?.home, yielding: isAsBefore });
    this.#revision = revision;
    this.#home = file.home;
    this.#opened = prepare(file, this.#options.columns);
    return this.#opened;
  }

  /**
   * Decides how to go on after a failure of the index, `cures` having been tried. `sound` statements are our own: if
   * one does not fit, the tables are not as they should be.
   *
   * @throws the failure if nothing would help
   */
  planCure(error: unknown, { cures, sound }: { readonly cures: number; readonly sound: boolean }): void {
    const kind = cureFor(error) ?? (sound && isSqlError(error) ? 'anew' : undefined);
    if (kind === undefined || cures >= MAX_CURES) throw indexFailure(error, this.#options.file);
    const reason = messageOf(error);
    this.#cure = { kind: cures > 0 ? 'memory' : kind, reason, home: this.#home };
  }

  close(): void {
    this.#opened?.db.close();
    this.#opened = undefined;
  }
}

function prepare(file: IndexFile, columns: readonly FieldColumn[]): OpenIndex {
  const { db } = file;
  try {
    const rows = createIndexRows(db);
    const texts = createItemTexts(db, columns);
    return { file, db, rows, texts, known: createKnownItems(db, rows), find: createItemFinder(db, columns) };
  } catch (error) {
    db.close();
    throw error;
  }
}
