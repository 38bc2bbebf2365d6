import { basename, dirname, join } from 'node:path/posix';
import type { FileLink, Language } from './language.ts';

/** Finds the file a link means; undefined if none of the project's is. */
export type LinkResolver = (from: string, link: FileLink, language: Language) => string | undefined;

/** Prepares the look-up among these paths. */
export function createLinkResolver(paths: Iterable<string>): LinkResolver {
  const all = new Set(paths);
  const byName = Map.groupBy(all, (path) => basename(path));
  return (from, link, { endings }) => {
    for (const way of link) {
      const isRelative = way.startsWith('.');
      const start = isRelative ? join(dirname(from), way) : way;
      for (const ending of endings) {
        // A package that is named from its own folder: `.` and `/__init__.py`.
        const path = start === '.' ? ending.slice(1) : start + ending;
        const found = all.has(path) ? path : isRelative ? undefined : below(path, from, byName);
        if (found !== undefined && found !== from) return found;
      }
    }
    return undefined;
  };
}

/** The path below any folder: the only one, or the one that is nearest to the file. */
function below(path: string, from: string, byName: ReadonlyMap<string, readonly string[]>): string | undefined {
  const found = (byName.get(basename(path)) ?? []).filter((other) => other.endsWith(`/${path}`));
  return found.toSorted((a, b) => sharedFolders(b, from) - sharedFolders(a, from) || (a < b ? -1 : 1))[0];
}

function sharedFolders(a: string, b: string): number {
  const others = b.split('/');
  const differs = a.split('/').findIndex((name, at) => name !== others[at]);
  return differs === -1 ? others.length : differs;
}
