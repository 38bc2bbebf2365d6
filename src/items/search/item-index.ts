import { SkeinError } from '../../core/errors.ts';
import { layOutColumns } from './field-columns.ts';
import type { SearchHit } from './find-items.ts';
import { IndexConnection } from './index-connection.ts';
import type { FieldWeights } from './index-entry.ts';
import { type ItemSource, type RefreshReport, refreshItems, type SkippedItem } from './refresh.ts';
import { compileSearch, type CompiledSearch, type SearchQuery } from './search-query.ts';
import { runInSlices, type Schedule } from './slices.ts';
import { whileBusy } from './sqlite-faults.ts';

/** What was found; `total` counts also the hits beyond the limit. */
export type SearchResult = {
  readonly hits: readonly SearchHit[];
  readonly total: number;
  /** From the last refresh, see {@link RefreshReport}. */
  readonly skipped: readonly SkippedItem[];
  readonly notes: readonly string[];
};

/** The full text index of all items of a project's spaces. Every method throws `runtime_closed` after `close`. */
export interface ItemIndex {
  /**
   * Brings the index up to date if that last began more than a second ago, then searches. Searches at the same time
   * share one refresh.
   *
   * @throws SkeinError `invalid_argument` for a malformed query, `store_failed`, and what `list` throws
   */
  search(query: SearchQuery): Promise<SearchResult>;
  /** Brings the index up to date with the files as they are now, in slices. @throws SkeinError as `search` */
  refresh(): Promise<RefreshReport>;
  /** Says that a file has just changed: the next search looks at the files as they are then, however recently it did. */
  outdate(): void;
  close(): void;
}

/** Settings of {@link createItemIndex}. */
export type ItemIndexOptions = ItemSource & {
  /** The index file, or `:memory:`. Its folder is made if the one above it exists. */
  readonly file: string;
  readonly weights: FieldWeights;
  /**
   * What else decides what is in the index, such as a hash of the extractors and the trusted keys. Asked at each refresh;
   * the index of another revision is made anew.
   */
  readonly revision?: () => string;
  /** Gives the event loop a turn; default `setImmediate`. */
  readonly schedule?: Schedule;
  /** How long the event loop is held at a time; one file and one search are never cut. Default 4. */
  readonly sliceMs?: number;
};

const REFRESH_EVERY_MS = 1000;
const DEFAULT_SLICE_MS = 4;

/**
 * Makes an item index; the file is opened by the first refresh. It is a cache: damaged, foreign or from an older
 * version, it is made anew, and where it can't be written it is kept in memory.
 *
 * @throws SkeinError `invalid_config` for weights that can't be used
 */
export function createItemIndex(options: ItemIndexOptions): ItemIndex {
  const { file, weights, revision = () => '' } = options;
  return new CachedItemIndex(options, new IndexConnection({ file, revision, columns: layOutColumns(weights) }));
}

/**
 * Owns which refresh is running, and the connection.
 * 1. At most one refresh runs at a time.
 * 2. Only a refresh and `close` open, close or mend the index; a search finds it open, or waits for the next refresh.
 */
class CachedItemIndex implements ItemIndex {
  readonly #options: ItemIndexOptions;
  readonly #connection: IndexConnection;
  #running: Promise<RefreshReport> | undefined;
  #next: Promise<RefreshReport> | undefined;
  #last: RefreshReport | undefined;
  #began = 0;
  #isOutdated = false;
  #isClosed = false;

  constructor(options: ItemIndexOptions, connection: IndexConnection) {
    this.#options = options;
    this.#connection = connection;
  }

  async search(query: SearchQuery): Promise<SearchResult> {
    const search = compileSearch(query);
    for (let cures = 0; ; cures++) {
      try {
        return await this.#searchOnce(search, query.allows);
      } catch (error) {
        this.#connection.planCure(error, { cures, sound: false });
      }
    }
  }

  async refresh(): Promise<RefreshReport> {
    if (this.#running === undefined) return this.#begin();
    // What is running may have passed a file that has changed since.
    this.#next ??= this.#beginAfterRunning();
    return this.#next;
  }

  outdate(): void {
    this.#isOutdated = true;
  }

  close(): void {
    this.#isClosed = true;
    this.#connection.close();
  }

  async #searchOnce(search: CompiledSearch, allows: SearchQuery['allows']): Promise<SearchResult> {
    for (;;) {
      const { skipped, notes } = await this.#upToDate();
      // Not open if yet another refresh has begun in the meantime, and is opening another file.
      const found = await this.#inSlices(whileBusy(() => this.#connection.opened?.find(search, allows)));
      if (found !== undefined) return { ...found, skipped, notes };
    }
  }

  async #upToDate(): Promise<RefreshReport> {
    if (this.#connection.needsCure || this.#isOutdated) return this.refresh();
    if (this.#running !== undefined) return this.#running;
    const age = this.#options.now() - this.#began;
    return this.#last !== undefined && age >= 0 && age <= REFRESH_EVERY_MS ? this.#last : this.#begin();
  }

  #begin(): Promise<RefreshReport> {
    this.#began = this.#options.now();
    this.#isOutdated = false;
    this.#last = undefined;
    this.#running = this.#run();
    return this.#running;
  }

  async #beginAfterRunning(): Promise<RefreshReport> {
    while (this.#running !== undefined) await Promise.allSettled([this.#running]);
    this.#next = undefined;
    return this.#begin();
  }

  async #run(): Promise<RefreshReport> {
    try {
      this.#last = await this.#refreshCured();
      return this.#last;
    } finally {
      this.#running = undefined;
    }
  }

  async #refreshCured(): Promise<RefreshReport> {
    for (let cures = 0; ; cures++) {
      try {
        return await this.#inSlices(this.#refreshSteps());
      } catch (error) {
        this.#connection.planCure(error, { cures, sound: true });
      }
    }
  }

  *#refreshSteps(): Generator<void, RefreshReport> {
    const index = yield* this.#connection.current();
    const report = yield* refreshItems(index, this.#options);
    const { fallback } = index.file;
    if (fallback === undefined) return report;
    return { ...report, notes: [`the item index is kept in memory: ${fallback}`, ...report.notes] };
  }

  async #inSlices<Result>(steps: Generator<void, Result>): Promise<Result> {
    const { now, schedule = setImmediate, sliceMs = DEFAULT_SLICE_MS } = this.#options;
    return runInSlices(steps, { now, schedule, sliceMs, check: () => this.#requireOpen() });
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new SkeinError('runtime_closed', 'the item index is closed');
  }
}
