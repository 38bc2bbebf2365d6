import { realpathSync } from 'node:fs';
import { basename } from 'node:path/posix';
import type { SymbolIndex } from '../core/assembly.ts';
import type { Clock } from '../core/clock.ts';
import { type Changes, findChanges } from './find-changes.ts';
import { LEGEND } from './legend.ts';
import type { LeftOut } from './placed-rules.ts';
import type { IndexedFile, SymbolRunner } from './symbol-task.ts';

/** What an index works with. */
export type SymbolIndexOptions = {
  /** The project's folder. */
  readonly root: string;
  readonly runner: Pick<SymbolRunner, 'scan' | 'parse'>;
  readonly clock: Pick<Clock, 'now'>;
};

/** The symbol index of a project on the disk (S1 "Symbol Map"). */
export interface ProjectSymbols extends SymbolIndex {
  /** Every file of the project that no `.gitignore` leaves out, sorted; as of the last refresh. */
  files(): readonly string[];
  /** What the reference graph is made of. */
  entries(): Iterable<IndexedFile>;
  /** Files without symbols, files and folders that were not looked at, and why; sorted by path. */
  warnings(): readonly LeftOut[];
}

/**
 * Opens the index of a project. It is empty before its first `refresh`, and changes in refreshes only: between two of them a
 * prompt sees one state. Files are walked, read and parsed by the runner; what happens here is looking up.
 *
 * @throws the file system's error if there is no such folder
 */
export function createSymbolIndex({ root, runner, clock }: SymbolIndexOptions): ProjectSymbols {
  return new DiskIndex({ root: realpathSync.native(root), runner, clock });
}

class DiskIndex implements ProjectSymbols {
  readonly #options: SymbolIndexOptions;
  readonly #entries = new Map<string, IndexedFile>();
  #files: readonly string[] = [];
  #listed: ReadonlySet<string> = new Set();
  #paths: readonly string[] | undefined;
  #leftOut: readonly LeftOut[] = [];
  #last: Promise<void> = Promise.resolve();

  constructor(options: SymbolIndexOptions) {
    this.#options = options;
  }

  /** One after another: the next one sees what the last one has found. */
  refresh(paths?: readonly string[]): Promise<void> {
    const run = (): Promise<void> => this.#refresh(paths);
    this.#last = this.#last.then(run, run);
    return this.#last;
  }

  block(path: string): string | undefined {
    return this.#entries.get(path)?.block || undefined;
  }

  hash(path: string): string | undefined {
    return this.#entries.get(path)?.hash || undefined;
  }

  paths(): readonly string[] {
    this.#paths ??= [...this.#entries.values()].flatMap(({ path, block }) => (block === '' ? [] : path)).toSorted();
    return this.#paths;
  }

  legend(): string {
    return LEGEND;
  }

  files(): readonly string[] {
    return this.#files;
  }

  entries(): Iterable<IndexedFile> {
    return this.#entries.values();
  }

  warnings(): readonly LeftOut[] {
    const entries = [...this.#entries.values()];
    const problems = entries.flatMap(({ path, problem }) => (problem === undefined ? [] : { path, reason: problem }));
    return [...problems, ...this.#leftOut].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  async #refresh(paths: readonly string[] | undefined): Promise<void> {
    const only = paths?.every((path) => this.#isSettled(path)) === true ? paths : undefined;
    const looked = only?.flatMap((path) => this.#entries.get(path) ?? []);
    const known = looked ? new Map(looked.map((entry) => [entry.path, entry])) : this.#entries;
    const { root, runner, clock } = this.#options;
    this.#take(await findChanges({ root, runner, now: clock.now(), known, only }));
  }

  /** A file that is new may be ignored, and other rules may ignore others: only a walk can tell. */
  #isSettled(path: string): boolean {
    return this.#listed.has(path) && basename(path) !== '.gitignore';
  }

  #take({ files, entries, gone, leftOut }: Changes): void {
    if (files) this.#leftOut = leftOut;
    if (files || gone.length > 0) this.#list((files ?? this.#files).filter((path) => !gone.includes(path)));
    for (const entry of entries) this.#entries.set(entry.path, entry);
    this.#paths = undefined;
  }

  #list(files: readonly string[]): void {
    this.#files = files;
    this.#listed = new Set(files);
    for (const path of this.#entries.keys()) if (!this.#listed.has(path)) this.#entries.delete(path);
  }
}
