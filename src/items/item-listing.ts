import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Bounds of a listing: far beyond a real space, so that a mistaken one (a home directory) does not hang. */
const MAX_DEPTH = 16;
const MAX_ENTRIES = 50_000;

/** Folders that hold no items. */
const IGNORED = new Set(['node_modules', '__pycache__', 'dist', 'build', 'venv']);

/**
 * The ids of the files with one of the extensions below a folder: paths without extension. Symbolic links, hidden and
 * ignored folders and names that are no item id are left out. A missing or unreadable folder is empty.
 */
export function listItemFiles(folder: string, extensions: readonly string[]): string[] {
  const ids: string[] = [];
  const pending = [{ path: folder, prefix: '', depth: 0 }];
  let seen = 0;
  for (let next = pending.pop(); next !== undefined && seen < MAX_ENTRIES; next = pending.pop()) {
    for (const entry of entriesOf(next.path)) {
      seen++;
      if (!/^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(entry.name)) continue;
      const name = next.prefix + entry.name;
      if (entry.isFile()) ids.push(...idOf(name, extensions));
      else if (entry.isDirectory() && next.depth < MAX_DEPTH && !IGNORED.has(entry.name)) {
        pending.push({ path: join(next.path, entry.name), prefix: `${name}/`, depth: next.depth + 1 });
      }
    }
  }
  return ids;
}

function idOf(name: string, extensions: readonly string[]): string[] {
  const extension = extensions.find((ending) => name.endsWith(ending));
  return extension === undefined ? [] : [name.slice(0, -extension.length)];
}

function entriesOf(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error) return [];
    throw error;
  }
}
