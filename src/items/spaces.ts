import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { projectSpaceOf } from '../config/project-space.ts';
import { codeOf, isAbsent } from '../core/code-of.ts';
import { SkeinError } from '../core/errors.ts';
import type { ItemKind, SpaceName } from '../core/item.ts';
import { type ItemStamp, inspectItemFile, type ItemText, readItemFile } from './item-file.ts';
import { parseItemId } from './item-id.ts';
import { type LeftOut, type ListedFile, listItemFiles } from './item-listing.ts';

/** An item that exists: where, and what its file was like when it was found. */
export type FoundItem = {
  readonly kind: ItemKind;
  readonly id: string;
  readonly space: SpaceName;
  readonly extension: string;
  readonly stamp: ItemStamp;
  /** Files of the same id that are passed over. */
  readonly warnings: readonly string[];
};

/** A found item with its text. */
export type ReadItem = FoundItem & ItemText;

/** A file in a space that is an item by its name; it has not been looked at. */
export type SpaceEntry = ListedFile & { readonly space: SpaceName };

/** A file or folder of a space that is no item, and why. */
export type SpaceLeftOut = LeftOut & { readonly space: SpaceName };

/** The three spaces of a project (S2 §1), searched in the order project, user, system. Synchronous; caches nothing. */
export type Spaces = {
  /** The first file with that id, or in `source` only. @throws SkeinError for refused ids and unusable files */
  find(kind: ItemKind, id: string, source?: SpaceName): FoundItem | undefined;
  /** As `find`, with the text. @throws SkeinError `item_not_found` naming the spaces searched */
  read(kind: ItemKind, id: string, source?: SpaceName): ReadItem;
  /** The ids of a kind that exist in any space, sorted; each once. Files are not opened. */
  list(kind: ItemKind): readonly string[];
  /**
   * The files of a kind, space by space, sorted by id, each id once in a space. A later entry of an id is shadowed by the
   * first. Files are not opened. What is none of them is told.
   */
  entries(kind: ItemKind, onLeftOut?: (leftOut: SpaceLeftOut) => void): Iterable<SpaceEntry>;
  /** What lies in the folders of a kind, is not hidden, and is none of its entries; space by space. */
  leftOut(kind: ItemKind): readonly SpaceLeftOut[];
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

/** What files an item of a kind can be in, in the order in which they win; without a space those of the project. */
export type FileExtensions = { readonly extensionsOf: (kind: ItemKind, space?: SpaceName) => readonly string[] };

/** The folder of each kind in a space. */
export const ITEM_FOLDERS: Readonly<Record<ItemKind, string>> = {
  directive: 'directives',
  tool: 'tools',
  knowledge: 'knowledge',
};

type Space = { readonly name: SpaceName; readonly path: string };

/** Opens the spaces of a project. */
export function createSpaces(paths: SpacePaths, { extensionsOf }: FileExtensions): Spaces {
  const spaces = toSpaces(paths);
  const searched = (source?: SpaceName): Space[] =>
    spaces.filter(({ name }) => source === undefined || name === source);
  const first = <Seen>(look: Look<Seen>, { kind, id, source }: Asked): Found<Seen> | undefined => {
    const itemId = parseItemId(id);
    for (const space of searched(source)) {
      const found = findIn(space, { kind, id: itemId, extensions: extensionsOf(kind, space.name) }, look);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const listIn = ({ name, path }: Space, kind: ItemKind, onLeftOut?: (leftOut: LeftOut) => void): ListedFile[] => {
    const root = realRoot(path);
    if (root === undefined) return [];
    return listItemFiles(
      { root, path: join(root, ITEM_FOLDERS[kind]) },
      { extensions: extensionsOf(kind, name), onLeftOut },
    );
  };
  const entries: Spaces['entries'] = function* (kind, onLeftOut) {
    for (const space of spaces) {
      const told = onLeftOut && ((leftOut: LeftOut): void => onLeftOut({ ...leftOut, space: space.name }));
      for (const file of listIn(space, kind, told)) yield { ...file, space: space.name };
    }
  };
  return {
    find: (kind, id, source) => first(inspect, { kind, id, source }),
    read: (kind, id, source) => {
      const read = first(readItemFile, { kind, id, source });
      if (!read) throw notFound(kind, id, searched(source));
      return read;
    },
    list: (kind) => [...new Set(Array.from(entries(kind), ({ id }) => id))].toSorted(),
    entries,
    leftOut: (kind) => {
      const all: SpaceLeftOut[] = [];
      for (const space of spaces) listIn(space, kind, (leftOut) => all.push({ ...leftOut, space: space.name }));
      return all;
    },
  };
}

/** A project whose space is the user's own counts as user space only, as its config does. */
function toSpaces({ projectPath, userSpace, systemSpace }: SpacePaths): readonly Space[] {
  const project = projectSpaceOf(projectPath, userSpace);
  const spaces: Space[] = project === undefined ? [] : [{ name: 'project', path: project }];
  if (userSpace !== undefined) spaces.push({ name: 'user', path: resolve(userSpace) });
  if (systemSpace !== undefined) spaces.push({ name: 'system', path: resolve(systemSpace) });
  return spaces;
}

type Asked = { readonly kind: ItemKind; readonly id: string; readonly source?: SpaceName | undefined };
type Wanted = { readonly kind: ItemKind; readonly id: string; readonly extensions: readonly string[] };

/** Looks at a file of a space; undefined if there is none. */
type Look<Seen> = (path: string, root: string) => Seen | undefined;

/** Where an item was found, and what was seen of its file. */
type Found<Seen> = Omit<FoundItem, 'stamp'> & Seen;

function inspect(path: string, root: string): Pick<FoundItem, 'stamp'> | undefined {
  const stamp = inspectItemFile(path, root);
  return stamp && { stamp };
}

function findIn<Seen>(space: Space, { kind, id, extensions }: Wanted, look: Look<Seen>): Found<Seen> | undefined {
  const root = realRoot(space.path);
  if (root === undefined) return undefined;
  const base = join(root, ITEM_FOLDERS[kind], id);
  for (const [index, extension] of extensions.entries()) {
    const path = base + extension;
    const seen = look(path, root);
    if (seen === undefined) continue;
    const passedOver = extensions.slice(index + 1).filter((other) => existsSync(base + other));
    const warnings = passedOver.map((other) => `${id}${other} is passed over for ${id}${extension} in the same space`);
    return { kind, id, space: space.name, extension, warnings, ...seen };
  }
  return undefined;
}

function realRoot(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    // A space that does not exist is empty; one that can't be reached says so.
    if (isAbsent(error)) return undefined;
    const message = `The space ${path} can't be reached (${String(codeOf(error))})`;
    throw new SkeinError('invalid_argument', message, { cause: error });
  }
}

function notFound(kind: ItemKind, id: string, searched: readonly Space[]): SkeinError {
  const places = searched.map(({ name, path }) => `${name} (${join(path, ITEM_FOLDERS[kind])})`).join(', ');
  return new SkeinError('item_not_found', `There is no ${kind} "${id}" in ${places || 'any space: none is set up'}`);
}
