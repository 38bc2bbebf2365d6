import type { Schedule } from '../../core/batched-port.ts';
import { SkeinError } from '../../core/errors.ts';
import { layOutColumns } from './field-columns.ts';
import type { SearchHit } from './find-items.ts';
import { IndexConnection } from './index-connection.ts';
import type { FieldWeights } from './index-entry.ts';
import { type ItemSource, type RefreshReport, refreshItems, type SkippedItem } from './refresh.ts';
import { compileSearch, type CompiledSearch, type SearchQuery } from './search-query.ts';
import { runInSlices } from './slices.ts';
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
   * share one refresh. Where a refresh takes long, a search that follows the last one within 5 seconds does not wait for
   * it: it is answered from the index as it is, and the refresh follows (ADR 24).
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
/** A search waits for a refresh that is as short as the last one was, however often it comes. */
const SHORT_REFRESH_MS = 10;
/** For a longer one it waits only if the last one began longer ago. */
const MAX_AGE_MS = 5000;
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

/** A refresh that succeeded, and when. */
type LastRefresh = { readonly report: RefreshReport; readonly began: number; readonly tookMs: number };

/**
 * Owns which refresh is running, and the connection.
 * 1. At most one refresh runs at a time.
 * 2. Only a refresh and `close` open, close or mend the index; a search finds it open, or waits for the next refresh.
 * 3. `#last` is never from before a change that `outdate` told of, nor from before a refresh that failed.
 */
class CachedItemIndex implements ItemIndex {
  readonly #options: ItemIndexOptions;
  readonly #connection: IndexConnection;
  #running: Promise<RefreshReport> | undefined;
  #next: Promise<RefreshReport> | undefined;
  #last: LastRefresh | undefined;
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
      const recent = this.#recent();
      const { skipped, notes } = recent ?? (await this.#upToDate());
      // Not open if yet another refresh has begun in the meantime, and is opening another file.
      const found = await this.#inSlices(whileBusy(() => this.#connection.opened?.find(search, allows)));
      if (recent !== undefined) this.#followUp();
      if (found !== undefined) return { ...found, skipped, notes };
    }
  }

  /** What the last refresh says, if the index can be searched as that has left it. */
  #recent(): RefreshReport | undefined {
    const { opened, needsCure } = this.#connection;
    if (this.#last === undefined || opened === undefined || needsCure || this.#isOutdated) return undefined;
    const { report, tookMs } = this.#last;
    return this.#age() <= (tookMs > SHORT_REFRESH_MS ? MAX_AGE_MS : REFRESH_EVERY_MS) ? report : undefined;
  }

  /** Since the last refresh began; the clock may go backwards. */
  #age(): number {
    const age = this.#last === undefined ? -1 : this.#options.now() - this.#last.began;
    return age >= 0 ? age : Number.POSITIVE_INFINITY;
  }

  /** Begins the refresh that a search has not waited for, once that has its answer. */
  #followUp(): void {
    if (this.#age() <= REFRESH_EVERY_MS) return;
    const { schedule = setImmediate } = this.#options;
    schedule(() => {
      if (this.#isClosed || this.#running !== undefined || this.#age() <= REFRESH_EVERY_MS) return;
      // If it fails, the next search does it again, and is told.
      this.#begin().catch(() => undefined);
    });
  }

  async #upToDate(): Promise<RefreshReport> {
    if (this.#connection.needsCure || this.#isOutdated) return this.refresh();
    return this.#running ?? this.#begin();
  }

  #begin(): Promise<RefreshReport> {
    if (this.#isOutdated) this.#last = undefined;
    this.#isOutdated = false;
    this.#running = this.#run();
    return this.#running;
  }

  async #beginAfterRunning(): Promise<RefreshReport> {
    while (this.#running !== undefined) await Promise.allSettled([this.#running]);
    this.#next = undefined;
    return this.#begin();
  }

  async #run(): Promise<RefreshReport> {
    const { now } = this.#options;
    const began = now();
    try {
      const report = await this.#refreshCured();
      this.#last = { report, began, tookMs: now() - began };
      return report;
    } catch (error) {
      this.#last = undefined;
      throw error;
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
