import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A file that has an item id. */
export type ListedFile = { readonly id: string; readonly extension: string; readonly file: string };

/** Bounds of a listing: far beyond a real space, so that a mistaken one (a home directory) does not hang. */
const MAX_DEPTH = 16;
const MAX_ENTRIES = 50_000;

/** Folders that hold no items. */
const IGNORED = new Set(['node_modules', '__pycache__', 'dist', 'build', 'venv']);

/**
 * The files with one of the extensions below a folder, by id, each id once: of two files the one whose extension comes
 * first in the list. Symbolic links, hidden and ignored folders and names that are no item id are left out. A missing or
 * unreadable folder is empty.
 */
export function listItemFiles(folder: string, extensions: readonly string[]): ListedFile[] {
  const found = new Map<string, ListedFile>();
  const pending = [{ path: folder, prefix: '', depth: 0 }];
  let seen = 0;
  for (let next = pending.pop(); next !== undefined && seen < MAX_ENTRIES; next = pending.pop()) {
    for (const entry of entriesOf(next.path)) {
      seen++;
      if (!/^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(entry.name)) continue;
      const name = next.prefix + entry.name;
      const path = join(next.path, entry.name);
      if (entry.isFile()) add(found, { name, path }, extensions);
      else if (entry.isDirectory() && next.depth < MAX_DEPTH && !IGNORED.has(entry.name)) {
        pending.push({ path, prefix: `${name}/`, depth: next.depth + 1 });
      }
    }
  }
  return [...found.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

type Named = { readonly name: string; readonly path: string };

function add(found: Map<string, ListedFile>, { name, path }: Named, extensions: readonly string[]): void {
  const extension = extensions.find((ending) => name.endsWith(ending) && name.length > ending.length);
  if (extension === undefined) return;
  const id = name.slice(0, -extension.length);
  const other = found.get(id);
  if (other !== undefined && extensions.indexOf(other.extension) < extensions.indexOf(extension)) return;
  found.set(id, { id, extension, file: path });
}

function entriesOf(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error) return [];
    throw error;
  }
}
