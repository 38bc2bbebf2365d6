import { SkeinError } from '../core/errors.ts';
import { openCacheFolder } from './cache-folder.ts';
import { withoutSymbols } from './file-symbols.ts';
import type { IndexedFile, ScanResult, SymbolRunner } from './symbol-task.ts';

/** Where to look and who looks. */
export type ChangeSearch = {
  /** The project's real root. */
  readonly root: string;
  readonly runner: Pick<SymbolRunner, 'scan' | 'parse'>;
  readonly now: number;
  /** The stamps of the files that are known. */
  readonly known: Readonly<Record<string, string>>;
  /** The only files to look at. */
  readonly only?: readonly string[] | undefined;
};

/** What is not as known. */
export type Changes = Pick<ScanResult, 'files' | 'gone' | 'leftOut'> & { readonly entries: readonly IndexedFile[] };

/** Files that are parsed in one task: few, so that one that brings the worker down is soon found. */
const BATCH = 25;

/** Finds what has changed and parses it. A file that brings its worker down is without symbols until it changes. */
export async function findChanges(search: ChangeSearch): Promise<Changes> {
  const { root, runner, now, known, only } = search;
  const place = { root, now, cacheFolder: openCacheFolder(root) };
  const scan = await runner.scan({ kind: 'scan', ...place, known, ...(only && { only }) });
  const entries = [...scan.entries];
  for (let from = 0; from < scan.stale.length; from += BATCH) {
    entries.push(...(await parse(scan.stale.slice(from, from + BATCH), place, runner)));
  }
  return { ...scan, entries };
}

type Place = { readonly root: string; readonly now: number; readonly cacheFolder: string | undefined };

async function parse(
  stale: ScanResult['stale'],
  place: Place,
  runner: ChangeSearch['runner'],
): Promise<readonly IndexedFile[]> {
  try {
    const { entries } = await runner.parse({ kind: 'parse', ...place, paths: stale.map(({ path }) => path) });
    return entries;
  } catch (error) {
    // No file is to blame for the end of the index.
    if (error instanceof SkeinError && error.code === 'runtime_closed') throw error;
    const [first, ...others] = stale;
    if (others.length > 0) return await parseEach(stale, place, runner);
    if (!first) throw error;
    const problem = `parsing it failed (${error instanceof Error ? error.message : String(error)})`;
    return [{ ...first, content: '', ...withoutSymbols(first.path, problem) }];
  }
}

/** One of them is to blame: by themselves the others go well. */
async function parseEach(
  stale: ScanResult['stale'],
  place: Place,
  runner: ChangeSearch['runner'],
): Promise<IndexedFile[]> {
  const entries: IndexedFile[] = [];
  for (const one of stale) entries.push(...(await parse([one], place, runner)));
  return entries;
}
