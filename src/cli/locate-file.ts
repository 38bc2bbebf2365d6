import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { SkeinError } from '../core/errors.ts';
import { ITEM_KINDS, type ItemKind, type SpaceName } from '../core/item.ts';
import { isInside } from '../core/path-inside.ts';
import { readItemFile } from '../items/item-file.ts';
import { type FileExtensions, ITEM_FOLDERS, type ReadItem, type Spaces } from '../items/spaces.ts';
import { extensionOf, kindOfFile, nameFile } from './item-file-name.ts';
import type { LocatedItem } from './item-view.ts';
import { placesOf, shadowsOf } from './locate-item.ts';

/** What finding the item of a file works with; `roots` are the spaces, in the order in which they win. */
export type FileServices = {
  readonly roots: readonly { readonly name: SpaceName; readonly path: string }[];
  readonly spaces: Spaces;
  readonly types: FileExtensions;
};

/** Whether an argument is a path and no item id: it begins as one, or there is an item file where it leads. */
export function isPath(argument: string, cwd: string, types: FileExtensions): boolean {
  if (isAbsolute(argument) || /^\.{1,2}(?:[/\\]|$)/.test(argument)) return true;
  const hasExtension = ITEM_KINDS.some((kind) => extensionOf(argument, types.extensionsOf(kind)) !== undefined);
  return hasExtension && exists(resolve(cwd, argument));
}

/**
 * The item that a file is: in a space by its place there, elsewhere by its name as if it were in the project.
 *
 * @param kind of a file outside of the spaces whose place does not tell
 * @throws SkeinError `item_not_found` without such a file, `invalid_item` for one that is no item, `item_id_refused`,
 * `invalid_argument` if the kind is not known or another
 */
export function locateFile(path: string, kind: ItemKind | undefined, services: FileServices): LocatedItem {
  if (!exists(path)) throw new SkeinError('item_not_found', 'There is no such file', at(path));
  const inside = insideOf(path, services.roots);
  return inside === undefined ? locateOutside(path, kind, services) : locateInside({ ...inside, path }, kind, services);
}

function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    throw new SkeinError('invalid_argument', 'The file can not be looked at', { ...at(path), cause });
  }
}

type Inside = { readonly space: SpaceName; readonly root: string; readonly within: string };

/** The space a path lies in, as it is written or with the links of its folders followed. */
function insideOf(path: string, roots: FileServices['roots']): Inside | undefined {
  const spellings = [path, join(realpathSync(dirname(path)), basename(path))];
  for (const { name, path: written } of roots) {
    if (!exists(written)) continue;
    const root = realpathSync(written);
    for (const base of [written, root]) {
      const within = spellings.find((spelling) => isInside(spelling, base));
      if (within !== undefined) return { space: name, root, within: relative(base, within) };
    }
  }
  return undefined;
}

function locateInside(
  { path, space, root, within }: Inside & { readonly path: string },
  asked: ItemKind | undefined,
  { spaces, types }: FileServices,
): LocatedItem {
  const [folder = '', ...names] = within.split(sep);
  const kind = ITEM_KINDS.find((each) => ITEM_FOLDERS[each] === folder);
  if (kind === undefined || names.length === 0) {
    const folders = Object.values(ITEM_FOLDERS).join(', ');
    throw new SkeinError('invalid_item', `The file is in no folder of items of its space (${folders})`, at(path));
  }
  if (asked !== undefined && asked !== kind) {
    throw new SkeinError('invalid_argument', `--kind is ${asked}, and the file is in the folder ${folder}`, at(path));
  }
  const { id, extension } = nameFile(names.join('/'), { kind, path, types, space });
  const winner = winnerOf(spaces, { kind, id, space });
  const isTaken = winner === undefined || winner === extension;
  return {
    kind,
    id,
    space,
    isOutside: false,
    file: path,
    ...shadowsOf(placesOf(spaces, kind, id), space),
    remarks: isTaken ? [] : [`${id}${extension} is passed over for ${id}${winner} in the same space`],
    read: () => readFile(path, { kind, id, space, extension, root }),
  };
}

function locateOutside(path: string, asked: ItemKind | undefined, { types }: FileServices): LocatedItem {
  const { kind, name } = kindOfFile(path, asked, types);
  const { id, extension } = nameFile(name, { kind, path, types });
  return {
    kind,
    id,
    space: 'project',
    isOutside: true,
    file: path,
    shadows: [],
    shadowedBy: undefined,
    remarks: [],
    read: () => readFile(path, { kind, id, space: 'project', extension, root: dirname(realpathSync(path)) }),
  };
}

type Place = Pick<ReadItem, 'kind' | 'id' | 'space' | 'extension'>;

function readFile(path: string, { root, ...place }: Place & { readonly root: string }): ReadItem {
  const read = readItemFile(path, root);
  if (read === undefined) throw new SkeinError('item_not_found', 'There is no such file', at(path));
  return { ...place, ...read, warnings: [] };
}

/** The extension of the file that has an id in a space. */
function winnerOf(spaces: Spaces, { kind, id, space }: Omit<Place, 'extension'>): string | undefined {
  try {
    return spaces.find(kind, id, space)?.extension;
  } catch (thrown) {
    // Reading the file itself tells what is wrong with it.
    if (thrown instanceof SkeinError) return undefined;
    throw thrown;
  }
}

function at(file: string): { readonly where: { readonly file: string } } {
  return { where: { file } };
}
