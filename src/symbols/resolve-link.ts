import { dirname, join } from 'node:path/posix';
import type { FileLink, Language } from './language.ts';

/** Finds the file a link means; undefined if none of the project's is. */
export type LinkResolver = (from: string, link: FileLink, language: Language) => string | undefined;

/** Prepares the look-up among these paths. */
export function createLinkResolver(paths: Iterable<string>): LinkResolver {
  const all = new Set(paths);
  const byEnd = groupByEnd(all);
  return (from, link, { endings }) => {
    for (const way of link) {
      const isRelative = way.startsWith('.');
      const start = isRelative ? join(dirname(from), way) : way;
      for (const ending of endings) {
        // A package that is named from its own folder: `.` and `/__init__.py`.
        const path = start === '.' ? ending.slice(1) : start + ending;
        const found = all.has(path) ? path : isRelative ? undefined : below(path, from, byEnd);
        if (found !== undefined && found !== from) return found;
      }
    }
    return undefined;
  };
}

/** Sorted paths by what they end in: their last name, and their last two. Thousands may be called `__init__.py`. */
type ByEnd = ReadonlyMap<string, readonly string[]>;

function groupByEnd(paths: ReadonlySet<string>): ByEnd {
  const groups = new Map<string, string[]>();
  for (const path of [...paths].toSorted()) {
    for (const end of new Set([endOf(path, 1), endOf(path, 2)])) {
      const group = groups.get(end);
      if (group) group.push(path);
      else groups.set(end, [path]);
    }
  }
  return groups;
}

function endOf(path: string, names: number): string {
  return path.split('/').slice(-names).join('/');
}

/** The path below any folder: the only one, or the first of those that are nearest to the file. */
function below(path: string, from: string, byEnd: ByEnd): string | undefined {
  const end = endOf(path, 2);
  const group = byEnd.get(end) ?? [];
  const found = path === end ? group : group.filter((other) => other.endsWith(`/${path}`));
  for (let folder = dirname(from); found.length > 1 && folder !== dirname(folder); folder = dirname(folder)) {
    const first = firstFrom(`${folder}/`, found);
    if (first?.startsWith(`${folder}/`)) return first;
  }
  return found[0];
}

/** The first that is not before a text, in what is sorted. */
function firstFrom(text: string, sorted: readonly string[]): string | undefined {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? '') < text) from = middle + 1;
    else to = middle;
  }
  return sorted[from];
}
