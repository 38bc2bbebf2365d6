import { linkSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../core/code-of.ts';
import { writeDurably } from '../core/durable-file.ts';
import { SkeinError } from '../core/errors.ts';
import type { ItemKind, SpaceName } from '../core/item.ts';
import { unwritable } from '../core/unwritable.ts';
import type { OpenedItem } from './primary-items.ts';
import type { Destination } from './primary-request.ts';

/** Where items are written. */
export type CopyPlaces = {
  /** A space and the folder of a kind in it, from the space's root; undefined where there is no such space. */
  place(space: SpaceName, kind: ItemKind): { readonly root: string; readonly folder: string } | undefined;
  /** The extension of the file that has an id in a space. */
  extensionIn(space: SpaceName, kind: ItemKind, id: string): string | undefined;
  /** What that file holds, whole. */
  textIn(space: SpaceName, kind: ItemKind, id: string): string;
  /** What files of a kind may end in there. */
  extensions(space: SpaceName, kind: ItemKind): readonly string[];
};

/** A copy that may be made, and where it will be. */
export type PlannedCopy = {
  readonly item: OpenedItem;
  readonly to: Destination;
  readonly root: string;
  /** From the root. */
  readonly file: string;
};

/** A copy that comes with another one; whether the same is there already. */
export type PlannedNeighbour = PlannedCopy & { readonly isThere: boolean };

/**
 * Looks whether an item may be copied into another space; writes nothing.
 *
 * @throws SkeinError `not_available` without such a space, `invalid_argument` when the item is there already, or would be
 * none there
 */
export function planCopy(item: OpenedItem, to: Destination, places: CopyPlaces): PlannedCopy {
  const { kind, id, extension } = item.parsed;
  const { space, overwrite } = to;
  const planned = placeCopy(item, to, places);
  const there = places.extensionIn(space, kind, id);
  if (there !== undefined && (there !== extension || !overwrite)) {
    const cure = there === extension ? '"overwrite" replaces it' : `it is a ${there} file: remove that first`;
    throw new SkeinError('invalid_argument', `The ${space} space has the ${kind} "${id}" already; ${cure}`);
  }
  return planned;
}

/**
 * The same for an item that is copied because of another one: it never replaces anything.
 *
 * @throws SkeinError as {@link planCopy}
 */
export function planNeighbour(item: OpenedItem, { space }: Destination, places: CopyPlaces): PlannedNeighbour {
  const { kind, id, extension } = item.parsed;
  const planned = placeCopy(item, { space, overwrite: false }, places);
  const there = places.extensionIn(space, kind, id);
  if (there === undefined) return { ...planned, isThere: false };
  if (there === extension && places.textIn(space, kind, id) === item.wholeText) return { ...planned, isThere: true };
  const message = `The ${space} space has another ${kind} "${id}", which would have to be copied too; remove that first`;
  throw new SkeinError('invalid_argument', message);
}

function placeCopy(item: OpenedItem, to: Destination, places: CopyPlaces): PlannedCopy {
  const { kind, id, extension, space: source } = item.parsed;
  const { space } = to;
  const place = places.place(space, kind);
  if (place === undefined) throw new SkeinError('not_available', `There is no ${space} space to copy to`);
  if (space === source)
    throw new SkeinError('invalid_argument', `The ${kind} "${id}" is in the ${space} space already`);
  const known = places.extensions(space, kind);
  if (!known.includes(extension)) {
    const message = `A ${extension} file is no ${kind} in the ${space} space; ${known.join(', ')} are`;
    throw new SkeinError('invalid_argument', message);
  }
  return { item, to, root: place.root, file: join(place.folder, `${id}${extension}`) };
}

/**
 * Makes planned copies, byte for byte: the signatures of items stay as good as they were. All of them, or none; the last one is
 * the only one that may replace a file.
 *
 * @throws SkeinError `item_id_refused` for a folder that leads out of the space, `project_unwritable`
 */
export function copyItems(plans: readonly PlannedCopy[]): void {
  const made: string[] = [];
  try {
    for (const plan of plans) made.push(copyItem(plan));
  } catch (thrown) {
    for (const path of made) rmSync(path, { force: true });
    throw thrown;
  }
}

function copyItem({ item, to, root, file }: PlannedCopy): string {
  try {
    const path = join(makeFolders(root, dirname(file)), basename(file));
    writeWhole(path, item.wholeText, to.overwrite);
    return path;
  } catch (thrown) {
    throw unwritable(thrown, `The ${item.parsed.kind} "${item.parsed.id}" can't be copied to the ${to.space} space`);
  }
}

/** Makes the folders below a space's root one by one, none of which may be a link: it could lead out of the space. */
function makeFolders(root: string, folders: string): string {
  mkdirSync(root, { recursive: true });
  return folders
    .split(/[/\\]/)
    .filter((name) => name !== '.')
    .reduce((above, name) => {
      const folder = join(above, name);
      mkdirUnlessThere(folder);
      if (lstatSync(folder).isDirectory()) return folder;
      throw new SkeinError('item_id_refused', 'A folder on the way is a link or a file', { where: { file: folder } });
    }, realpathSync(root));
}

function mkdirUnlessThere(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** Whole and durable under a name that is not listed first; then under its own, which is taken from nobody unasked. */
function writeWhole(path: string, text: string, overwrite: boolean): void {
  const draftFolder = mkdtempSync(join(dirname(path), '.copying-'));
  try {
    const draft = join(draftFolder, basename(path));
    writeDurably(draft, text, 0o644);
    if (overwrite) renameSync(draft, path);
    else linkUnlessThere(draft, path);
  } finally {
    rmSync(draftFolder, { recursive: true });
  }
}

function linkUnlessThere(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') throw cause;
    throw new SkeinError('invalid_argument', 'It is there already', { where: { file: path }, cause });
  }
}
