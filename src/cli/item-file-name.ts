import { basename, sep } from 'node:path';
import { SkeinError, toFailure } from '../core/errors.ts';
import { ITEM_KINDS, type ItemKind, type SpaceName } from '../core/item.ts';
import { parseItemId } from '../items/item-id.ts';
import { type FileExtensions, ITEM_FOLDERS } from '../items/spaces.ts';

/**
 * The kind by the nearest folder of items above a file, and its path from there; else by its extension and what is asked
 * for, and its name.
 *
 * @throws SkeinError `invalid_item` for no extension of an item, `invalid_argument` if the kind can't be told
 */
export function kindOfFile(
  path: string,
  asked: ItemKind | undefined,
  types: FileExtensions,
): { readonly kind: ItemKind; readonly name: string } {
  const fitting = ITEM_KINDS.filter((kind) => extensionOf(path, types.extensionsOf(kind)) !== undefined);
  const segments = path.split(sep);
  const kinds = asked === undefined ? fitting : [asked];
  const folders = kinds.map((kind) => ({ kind, at: segments.slice(0, -1).lastIndexOf(ITEM_FOLDERS[kind]) }));
  const nearest = folders.filter(({ at }) => at !== -1).toSorted((one, other) => other.at - one.at)[0];
  if (nearest !== undefined) return { kind: nearest.kind, name: segments.slice(nearest.at + 1).join('/') };
  const [only, ...more] = kinds;
  if (only === undefined) throw noItem(path, types);
  if (more.length === 0) return { kind: only, name: basename(path) };
  const question = `The file may be a ${kinds.join(' or ')}; say with --kind which it is`;
  throw new SkeinError('invalid_argument', question, { where: { file: path } });
}

type Naming = {
  readonly kind: ItemKind;
  readonly path: string;
  readonly types: FileExtensions;
  /** The space the file is in; none is as the project. */
  readonly space?: SpaceName;
};

/** The id and the extension of a file by its path from its folder of items. @throws SkeinError `invalid_item`, `item_id_refused` */
export function nameFile(
  name: string,
  { kind, path, types, space }: Naming,
): { readonly id: string; readonly extension: string } {
  const extension = extensionOf(name, types.extensionsOf(kind, space));
  if (extension === undefined) throw noItem(path, types, kind);
  try {
    return { id: parseItemId(name.slice(0, -extension.length)), extension };
  } catch (thrown) {
    const { code, message } = toFailure(thrown);
    throw new SkeinError(code, message, { where: { file: path }, cause: thrown });
  }
}

/** The extension of a file name, if it is one of these and not all of the name. */
export function extensionOf(name: string, extensions: readonly string[]): string | undefined {
  return extensions.find((extension) => name.endsWith(extension) && basename(name).length > extension.length);
}

function noItem(path: string, types: FileExtensions, kind?: ItemKind): SkeinError {
  const extensions = (kind === undefined ? ITEM_KINDS : [kind]).flatMap((each) => types.extensionsOf(each));
  const known = [...new Set(extensions)].join(', ');
  return new SkeinError('invalid_item', `The file is no ${kind ?? 'item'}: it should end in ${known}`, {
    where: { file: path },
  });
}
