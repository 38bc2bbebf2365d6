import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, isAbsent } from '../core/code-of.ts';
import { leadsInCircle } from './link-circle.ts';
import { isInside } from '../core/path-inside.ts';

/**
 * A file that has an item id. `file` is where a link leads, or the link itself if it can't be followed: reading it says
 * why.
 */
export type ListedFile = { readonly id: string; readonly extension: string; readonly file: string };

/** A file or folder where items are looked for and this is none, and why. */
export type LeftOut = {
  readonly file: string;
  readonly reason: string;
  /** A bound of the listing is why: there may be items behind it. */
  readonly isBound?: true;
};

/** A folder of items and the space it belongs to; `root` is without links. */
export type ListedFolder = { readonly root: string; readonly path: string };

/** Which files a listing takes, and who is told of the others; without it nobody is. */
export type ListingOptions = {
  readonly extensions: readonly string[];
  readonly onLeftOut?: ((leftOut: LeftOut) => void) | undefined;
  /** Files and folders after which no further folder is looked into. */
  readonly maxEntries?: number;
};

/** Bounds of a listing: far beyond a real space, so that a mistaken one (a home directory) does not hang. */
const MAX_DEPTH = 16;
const MAX_ENTRIES = 50_000;

/** Folders that hold no items, but may hold thousands of files. */
const IGNORED = new Set(['node_modules', '__pycache__', 'venv']);

const NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;

/**
 * The files with one of the extensions below a folder, by id, each id once: of two files the one whose extension comes
 * first in the list. Links are followed inside the space, unless in a circle. A missing folder is empty. What is hidden or
 * in an ignored folder is left out without a word, everything else that is left out is told.
 */
export function listItemFiles({ root, path }: ListedFolder, options: ListingOptions): ListedFile[] {
  const { extensions, maxEntries = MAX_ENTRIES } = options;
  const leaveOut = options.onLeftOut ?? (() => undefined);
  const found = new Map<string, ListedFile>();
  const pending = topFolder({ root, path }, leaveOut);
  let seen = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (seen >= maxEntries) {
      leaveOut({
        file: next.path,
        reason: `after ${maxEntries} files and folders no further folder is looked into`,
        isBound: true,
      });
      break;
    }
    for (const entry of entriesOf(next.path, leaveOut)) {
      seen++;
      if (entry.name.startsWith('.') || IGNORED.has(entry.name)) continue;
      const file = join(next.path, entry.name);
      const name = next.prefix + entry.name;
      const place = NAME.test(entry.name) ? placeOf(entry, file, { root, way: next.way }) : MISNAMED;
      if (place.kind === 'none') leaveOut({ file, reason: place.reason });
      else if (place.kind === 'folder') {
        if (next.way.length > MAX_DEPTH + 1)
          leaveOut({ file, reason: `more than ${MAX_DEPTH} folders deep`, isBound: true });
        else pending.push({ path: place.path, prefix: `${name}/`, way: [...next.way, place.path] });
      } else if (!add(found, { name, path: place.path }, extensions)) {
        leaveOut({ file, reason: place.remark ?? `its name ends in none of ${extensions.join(', ')}` });
      }
    }
  }
  return [...found.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

type LeaveOut = (leftOut: LeftOut) => void;

/** A folder to be looked into; `way` are the folders from the root of the space to it, itself included. */
type Folder = { readonly path: string; readonly prefix: string; readonly way: readonly string[] };

type None = { readonly kind: 'none'; readonly reason: string };
/** A `remark` says why a file is none where its name does not make it an item, of which reading would say it. */
type File = { readonly kind: 'file'; readonly path: string; readonly remark?: string };
type Place = File | { readonly kind: 'folder'; readonly path: string } | None;
type Bounds = { readonly root: string; readonly way: readonly string[] };

const CIRCLE = 'a link that leads in a circle';

const MISNAMED: None = {
  kind: 'none',
  reason: 'its name is no part of an id: letters, digits, ".", "_" and "-", the first a letter, digit or "_"',
};

function topFolder({ root, path }: ListedFolder, leaveOut: LeaveOut): Folder[] {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return [];
  const top = follow(path, { root, way: [root] });
  if (top.kind === 'folder') return [{ path: top.path, prefix: '', way: [root, top.path] }];
  leaveOut({ file: path, reason: top.kind === 'none' ? top.reason : (top.remark ?? 'it is no folder') });
  return [];
}

function placeOf(entry: Dirent, path: string, bounds: Bounds): Place {
  if (entry.isSymbolicLink()) return follow(path, bounds);
  if (entry.isFile()) return { kind: 'file', path };
  return entry.isDirectory() ? { kind: 'folder', path } : { kind: 'none', reason: 'it is no regular file' };
}

/** Where a path leads, as loading an item goes there. */
function follow(path: string, { root, way }: Bounds): Place {
  try {
    const target = realpathSync.native(path);
    if (target === root) return { kind: 'file', path, remark: CIRCLE };
    if (!isInside(target, root)) return { kind: 'file', path, remark: 'a link that leads out of the space' };
    if (!statSync(target).isDirectory()) return { kind: 'file', path: target };
    if (leadsInCircle(target, way)) return { kind: 'none', reason: CIRCLE };
    return { kind: 'folder', path: target };
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return isAbsent(error) ? { kind: 'none', reason: 'a link that leads nowhere' } : { kind: 'file', path };
  }
}

type Named = { readonly name: string; readonly path: string };

/** Whether the file is an item by its name. */
function add(found: Map<string, ListedFile>, { name, path }: Named, extensions: readonly string[]): boolean {
  const extension = extensions.find((ending) => name.endsWith(ending) && name.length > ending.length);
  if (extension === undefined) return false;
  const id = name.slice(0, -extension.length);
  const other = found.get(id);
  if (other !== undefined && extensions.indexOf(other.extension) < extensions.indexOf(extension)) return true;
  found.set(id, { id, extension, file: path });
  return true;
}

function entriesOf(path: string, leaveOut: LeaveOut): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    leaveOut({ file: path, reason: `the folder can't be read (${code})` });
    return [];
  }
}
