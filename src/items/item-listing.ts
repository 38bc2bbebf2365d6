import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { leadsInCircle } from './link-circle.ts';
import { isInside } from './path-inside.ts';

/**
 * A file that has an item id. `file` is where a link leads, or the link itself if it can't be followed: reading it says
 * why.
 */
export type ListedFile = { readonly id: string; readonly extension: string; readonly file: string };

/** A folder of items and the space it belongs to; `root` is without links. */
export type ListedFolder = { readonly root: string; readonly path: string };

/** Bounds of a listing: far beyond a real space, so that a mistaken one (a home directory) does not hang. */
const MAX_DEPTH = 16;
const MAX_ENTRIES = 50_000;

/** Folders that hold no items, but may hold thousands of files. */
const IGNORED = new Set(['node_modules', '__pycache__', 'venv']);

/**
 * The files with one of the extensions below a folder, by id, each id once: of two files the one whose extension comes
 * first in the list. Links are followed inside the space, unless in a circle. Hidden and ignored folders and names that
 * are no item id are left out. A missing or unreadable folder is empty.
 */
export function listItemFiles({ root, path }: ListedFolder, extensions: readonly string[]): ListedFile[] {
  const found = new Map<string, ListedFile>();
  const pending: Folder[] = [];
  const top = follow(path, { root, way: [root] });
  if (top?.kind === 'folder') pending.push({ path: top.path, prefix: '', way: [root, top.path] });
  let seen = 0;
  for (let next = pending.pop(); next !== undefined && seen < MAX_ENTRIES; next = pending.pop()) {
    for (const entry of entriesOf(next.path)) {
      seen++;
      if (!/^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(entry.name)) continue;
      const name = next.prefix + entry.name;
      const place = placeOf(entry, join(next.path, entry.name), { root, way: next.way });
      if (place?.kind === 'file') add(found, { name, path: place.path }, extensions);
      else if (place?.kind === 'folder' && next.way.length <= MAX_DEPTH + 1 && !IGNORED.has(entry.name)) {
        pending.push({ path: place.path, prefix: `${name}/`, way: [...next.way, place.path] });
      }
    }
  }
  return [...found.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** A folder to be looked into; `way` are the folders from the root of the space to it, itself included. */
type Folder = { readonly path: string; readonly prefix: string; readonly way: readonly string[] };

type Place = { readonly kind: 'file' | 'folder'; readonly path: string };
type Bounds = { readonly root: string; readonly way: readonly string[] };

function placeOf(entry: Dirent, path: string, bounds: Bounds): Place | undefined {
  if (entry.isSymbolicLink()) return follow(path, bounds);
  if (entry.isFile()) return { kind: 'file', path };
  return entry.isDirectory() ? { kind: 'folder', path } : undefined;
}

/** Where a path leads, as loading an item goes there; undefined if nothing can be there. */
function follow(path: string, { root, way }: Bounds): Place | undefined {
  try {
    const target = realpathSync.native(path);
    if (!isInside(target, root)) return { kind: 'file', path };
    if (!statSync(target).isDirectory()) return { kind: 'file', path: target };
    return leadsInCircle(target, way) ? undefined : { kind: 'folder', path: target };
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    return error.code === 'ENOENT' || error.code === 'ENOTDIR' ? undefined : { kind: 'file', path };
  }
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
