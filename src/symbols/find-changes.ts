import { SkeinError, messageOf } from '../core/errors.ts';
import { openCacheFolder } from './cache-folder.ts';
import { withoutSymbols } from './file-symbols.ts';
import type { IndexedFile, ScanResult, SymbolRunner } from './symbol-task.ts';

/** Where to look and who looks. */
export type ChangeSearch = {
  /** The project's real root. */
  readonly root: string;
  readonly runner: Pick<SymbolRunner, 'scan' | 'parse'>;
  readonly now: number;
  /** The files that are known. */
  readonly known: ReadonlyMap<string, IndexedFile>;
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
  const stamps = Object.fromEntries([...known].map(([path, { stamp }]) => [path, stamp]));
  const scan = await runner.scan({ kind: 'scan', ...place, known: stamps, ...(only && { only }) });
  const entries = [...scan.entries];
  for (let from = 0; from < scan.stale.length; from += BATCH) {
    entries.push(...(await parse(scan.stale.slice(from, from + BATCH), { place, runner, known })));
  }
  return { ...scan, entries };
}

type Parsing = Pick<ChangeSearch, 'runner' | 'known'> & {
  readonly place: { readonly root: string; readonly now: number; readonly cacheFolder: string | undefined };
};

async function parse(stale: ScanResult['stale'], parsing: Parsing): Promise<readonly IndexedFile[]> {
  const { place, runner, known } = parsing;
  const paths = stale.map(({ path }) => path);
  const contents = Object.fromEntries(paths.flatMap((path) => contentOf(known.get(path))));
  try {
    const { entries, same = [] } = await runner.parse({ kind: 'parse', ...place, paths, contents });
    return [...entries, ...same.flatMap(({ path, stamp }) => restamped(known.get(path), stamp))];
  } catch (error) {
    // No file is to blame for the end of the index.
    if (error instanceof SkeinError && error.code === 'runtime_closed') throw error;
    const [first, ...others] = stale;
    if (others.length > 0) return await parseEach(stale, parsing);
    if (!first) throw error;
    const problem = `parsing it failed (${messageOf(error)})`;
    return [{ ...first, content: '', ...withoutSymbols(first.path, problem) }];
  }
}

/** What failed once may go well another time. */
function contentOf(entry: IndexedFile | undefined): (readonly [string, string])[] {
  return entry && entry.problem === undefined ? [[entry.path, entry.content]] : [];
}

function restamped(entry: IndexedFile | undefined, stamp: string): IndexedFile[] {
  return entry ? [{ ...entry, stamp }] : [];
}

/** One of them is to blame: by themselves the others go well. */
async function parseEach(stale: ScanResult['stale'], parsing: Parsing): Promise<IndexedFile[]> {
  const entries: IndexedFile[] = [];
  for (const one of stale) entries.push(...(await parse([one], parsing)));
  return entries;
}
