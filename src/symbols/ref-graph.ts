import { setImmediate } from 'node:timers/promises';
import type { RefGraph } from '../core/assembly.ts';
import { languageOf } from './languages.ts';
import { createLinkResolver, type LinkResolver } from './resolve-link.ts';
import type { IndexedFile } from './symbol-task.ts';

/** Files looked at before others get their turn. */
const SLICE = 50;

/** What the graph is made of: what a file declares for others, which of their names it uses, and the files it names. */
export type LinkedFile = Pick<IndexedFile, 'path' | 'names' | 'uses' | 'links'>;

/**
 * Which files use which: by their imports, and in languages where a file's neighbours need none, by names that one file of
 * the language alone declares. Both lists are sorted. A picture of the index as it is now; made in slices.
 */
export async function buildRefGraph(entries: Iterable<LinkedFile>): Promise<RefGraph> {
  const files = [...entries];
  const lookup = { resolve: createLinkResolver(files.map(({ path }) => path)), owners: ownersOf(files) };
  const uses = new Map<string, ReadonlySet<string>>();
  const usedBy = new Map<string, Set<string>>();
  for (const [at, file] of files.entries()) {
    if (at % SLICE === SLICE - 1) await setImmediate();
    const targets = targetsOf(file, lookup);
    uses.set(file.path, targets);
    for (const target of targets) usedBy.set(target, (usedBy.get(target) ?? new Set()).add(file.path));
  }
  return {
    references: (path) => [...(uses.get(path) ?? [])].toSorted(),
    referencedBy: (path) => [...(usedBy.get(path) ?? [])].toSorted(),
  };
}

/** Who declares a name of a language, if it is one file alone. */
type Owners = ReadonlyMap<string, string | undefined>;
type Lookup = { readonly resolve: LinkResolver; readonly owners: Owners };

function ownersOf(files: readonly LinkedFile[]): Owners {
  const owners = new Map<string, string | undefined>();
  for (const { path, names } of files) {
    for (const name of wordsOf(names)) {
      const key = keyOf(path, name);
      owners.set(key, owners.has(key) ? undefined : path);
    }
  }
  return owners;
}

function targetsOf({ path, links, uses }: LinkedFile, { resolve, owners }: Lookup): Set<string> {
  const language = languageOf(path)?.language;
  const linked = language ? links.flatMap((link) => resolve(path, link, language) ?? []) : [];
  const named = wordsOf(uses).flatMap((word) => owners.get(keyOf(path, word)) ?? []);
  return new Set([...linked, ...named].filter((target) => target !== path));
}

function keyOf(path: string, name: string): string {
  return `${languageOf(path)?.language.name ?? ''} ${name}`;
}

function wordsOf(text: string): string[] {
  return text === '' ? [] : text.split(' ');
}
