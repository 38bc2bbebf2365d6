import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SkeinError } from '../core/errors.ts';
import type { ItemKind, SpaceName } from '../core/item.ts';
import { type FileStamp, inspectItemFile, readItemFile } from './item-file.ts';
import { parseItemId } from './item-id.ts';
import { listItemFiles } from './item-listing.ts';

/** An item that exists: where, and what its file was like when it was found. */
export type FoundItem = {
  readonly kind: ItemKind;
  readonly id: string;
  readonly space: SpaceName;
  readonly extension: string;
  readonly stamp: FileStamp;
  /** Files of the same id that are passed over. */
  readonly warnings: readonly string[];
};

/** A found item with its text. */
export type ReadItem = FoundItem & { readonly text: string };

/** The three spaces of a project (S2 §1), searched in the order project, user, system. Synchronous; caches nothing. */
export type Spaces = {
  /** The first file with that id, or in `source` only. @throws SkeinError for refused ids and unusable files */
  find(kind: ItemKind, id: string, source?: SpaceName): FoundItem | undefined;
  /** As `find`, with the text. @throws SkeinError `item_not_found` naming the spaces searched */
  read(kind: ItemKind, id: string, source?: SpaceName): ReadItem;
  /** The ids of a kind that exist in any space, sorted; each once. Files are not opened. */
  list(kind: ItemKind): readonly string[];
};

/** Where the spaces are. A space without a path, or whose directory does not exist, is empty. */
export type SpacePaths = {
  /** Root of the project; its space is `.ai` in it. */
  readonly projectPath: string;
  /** The user space itself, such as `~/.ai`. */
  readonly userSpace?: string | undefined;
  /** The space that ships with the package. */
  readonly systemSpace?: string | undefined;
};

const FOLDERS: Readonly<Record<ItemKind, string>> = { directive: 'directives', tool: 'tools', knowledge: 'knowledge' };

/** File extensions of each kind in the order in which they win. */
const EXTENSIONS: Readonly<Record<ItemKind, readonly string[]>> = {
  directive: ['.md'],
  knowledge: ['.md'],
  tool: ['.py', '.js', '.mjs', '.ts', '.sh'],
};

type Space = { readonly name: SpaceName; readonly path: string };

/** Opens the spaces of a project. */
export function createSpaces(paths: SpacePaths): Spaces {
  const spaces = toSpaces(paths);
  const searched = (source?: SpaceName): Space[] =>
    spaces.filter(({ name }) => source === undefined || name === source);
  const find = (kind: ItemKind, id: string, source?: SpaceName): Candidate | undefined => {
    const itemId = parseItemId(id);
    for (const space of searched(source)) {
      const candidate = findIn(space, kind, itemId);
      if (candidate !== undefined) return candidate;
    }
    return undefined;
  };
  return {
    find: (kind, id, source) => find(kind, id, source)?.found,
    read: (kind, id, source) => {
      const candidate = find(kind, id, source);
      const read = candidate && readItemFile(candidate.path, candidate.root);
      if (candidate === undefined || read === undefined) throw notFound(kind, id, searched(source));
      return { ...candidate.found, stamp: read.stamp, text: read.text };
    },
    list: (kind) => {
      const folders = spaces.map(({ path }) => join(path, FOLDERS[kind]));
      const ids = folders.flatMap((folder) => listItemFiles(folder, EXTENSIONS[kind]));
      return [...new Set(ids)].toSorted();
    },
  };
}

function toSpaces({ projectPath, userSpace, systemSpace }: SpacePaths): readonly Space[] {
  const spaces: Space[] = [{ name: 'project', path: join(resolve(projectPath), '.ai') }];
  if (userSpace !== undefined) spaces.push({ name: 'user', path: resolve(userSpace) });
  if (systemSpace !== undefined) spaces.push({ name: 'system', path: resolve(systemSpace) });
  return spaces;
}

/** A found item with the path and the resolved space it was found under. */
type Candidate = { readonly found: FoundItem; readonly path: string; readonly root: string };

function findIn(space: Space, kind: ItemKind, id: string): Candidate | undefined {
  const root = realRoot(space.path);
  if (root === undefined) return undefined;
  const base = join(root, FOLDERS[kind], id);
  for (const [index, extension] of EXTENSIONS[kind].entries()) {
    const path = base + extension;
    const stamp = inspectItemFile(path, root);
    if (stamp === undefined) continue;
    const passedOver = EXTENSIONS[kind].slice(index + 1).filter((other) => existsSync(base + other));
    const warnings = passedOver.map((other) => `${id}${other} is passed over for ${id}${extension} in the same space`);
    return { found: { kind, id, space: space.name, extension, stamp, warnings }, path, root };
  }
  return undefined;
}

function realRoot(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    // A space that does not exist is empty; one that can't be reached says so.
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new SkeinError('invalid_argument', `The space ${path} can't be reached (${String(code)})`, { cause: error });
  }
}

function notFound(kind: ItemKind, id: string, searched: readonly Space[]): SkeinError {
  const places = searched.map(({ name, path }) => `${name} (${join(path, FOLDERS[kind])})`).join(', ');
  return new SkeinError('item_not_found', `There is no ${kind} "${id}" in ${places || 'any space: none is set up'}`);
}
