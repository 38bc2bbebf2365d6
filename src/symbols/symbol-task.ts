import type { FileLink } from './language.ts';
import type { LeftOut } from './placed-rules.ts';

/** What the index knows of a file's text. */
export type FileSymbols = {
  /** Without a line break at its end. */
  readonly block: string;
  /** SHA-256 of the block's UTF-8 bytes, hex. */
  readonly hash: string;
  /** What it declares for others, and the names it uses whose file it doesn't say; each with a space between. */
  readonly names: string;
  readonly uses: string;
  readonly links: readonly FileLink[];
  /** Why there are no symbols, or not all. */
  readonly problem?: string;
};

/** A file of the index. */
export type IndexedFile = FileSymbols & {
  readonly path: string;
  /** What the file looked like from outside; empty: too young to tell. */
  readonly stamp: string;
  /** SHA-256 of the file's bytes, hex; empty if it was not read. */
  readonly content: string;
};

/** What every task says: the project's real root, the folder of its cache if it has one, the time in ms. */
type Place = { readonly root: string; readonly cacheFolder?: string | undefined; readonly now: number };

/** Looks for what has changed, in these files or in all, against the stamps the asker has. */
export type ScanTask = Place & {
  readonly kind: 'scan';
  readonly known: Readonly<Record<string, string>>;
  readonly only?: readonly string[];
};

/** What a scan found. Files that are as known are in none of the lists but `files`. */
export type ScanResult = {
  /** Every file of the project; undefined if only some were looked at. */
  readonly files?: readonly string[];
  /** Those whose symbols the cache has. */
  readonly entries: readonly IndexedFile[];
  /** Those to be parsed, and their stamps. */
  readonly stale: readonly { readonly path: string; readonly stamp: string }[];
  /** Asked for, and not there. */
  readonly gone: readonly string[];
  readonly leftOut: readonly LeftOut[];
};

/** Parses these files, and puts them into the cache. Those that still have the content the asker knows are not parsed. */
export type ParseTask = Place & {
  readonly kind: 'parse';
  readonly paths: readonly string[];
  /** SHA-256 of their bytes by path, as in the index. */
  readonly contents?: Readonly<Record<string, string>>;
};

/** What was parsed; files that are gone are missing. */
export type ParseResult = {
  readonly entries: readonly IndexedFile[];
  /** Those that have the content the asker knows, and their stamps. */
  readonly same?: readonly { readonly path: string; readonly stamp: string }[];
};

/** Reads the symbols of a text that is on no disk, e.g. of an earlier version of a file. */
export type OutlineTask = { readonly kind: 'outline'; readonly path: string; readonly text: string };

/** Its block; none for a text in no known language. */
export type OutlineResult = { readonly block?: string };

/** Runs tasks somewhere else than on the caller's thread. A promise that rejects is about this task alone. */
export interface SymbolRunner {
  scan(task: ScanTask): Promise<ScanResult>;
  parse(task: ParseTask): Promise<ParseResult>;
  outline(task: OutlineTask): Promise<OutlineResult>;
}
