import { SkeinError, toFailure } from '../core/errors.ts';
import { ITEM_KINDS, SPACE_NAMES, type ItemKind, type SpaceName } from '../core/item.ts';
import { parseItemId } from '../items/item-id.ts';
import type { Spaces } from '../items/spaces.ts';
import { nearNames } from '../tools/near-names.ts';
import type { LocatedItem } from './item-view.ts';
import type { Wanted } from './which-items.ts';

/**
 * The items with an id, at most one of each kind: the one that is taken, or the one of the space that is asked for.
 *
 * @throws SkeinError `item_id_refused`, `item_not_found` naming ids that look like it
 */
export function locateById(id: string, { kind, space }: Wanted, spaces: Spaces): readonly LocatedItem[] {
  parseItemId(id);
  const kinds = kind === undefined ? ITEM_KINDS : [kind];
  const found = kinds.flatMap((each) => {
    const places = placesOf(spaces, each, id);
    const place = places.find(({ name }) => space === undefined || name === space);
    return place === undefined ? [] : [toLocated({ kind: each, id, place }, places, spaces)];
  });
  if (found.length > 0) return found;
  const known = kinds.flatMap((each) => spaces.list(each));
  const near = nearNames(id, [...new Set(known)]).join(', ');
  const hint = near === '' ? '' : `; there is ${near}`;
  throw new SkeinError('item_not_found', `There is no ${kind ?? 'item'} "${id}" in ${space ?? 'any'} space${hint}`);
}

/** A space that has a file for an id, usable or not. */
export type SpaceWithItem = { readonly name: SpaceName; readonly file: string };

/** The spaces that have a file for an id: the first is taken, even if its file can't be used. */
export function placesOf(spaces: Spaces, kind: ItemKind, id: string): readonly SpaceWithItem[] {
  return SPACE_NAMES.flatMap((name) => {
    try {
      const found = spaces.find(kind, id, name);
      return found === undefined ? [] : [{ name, file: found.stamp.file }];
    } catch (thrown) {
      const file = thrown instanceof SkeinError ? toFailure(thrown).where?.file : undefined;
      if (file === undefined) throw thrown;
      return [{ name, file }];
    }
  });
}

/** What the spaces that have an item mean for the one in `space`. */
export function shadowsOf(
  places: readonly SpaceWithItem[],
  space: SpaceName,
): Pick<LocatedItem, 'shadows' | 'shadowedBy'> {
  const names = places.map(({ name }) => name);
  const [taken] = names;
  const isTaken = taken === undefined || taken === space;
  return { shadows: isTaken ? names.slice(1) : [], shadowedBy: isTaken ? undefined : taken };
}

/** The item in one of the spaces that have it. */
export function toLocated(
  { kind, id, place }: { readonly kind: ItemKind; readonly id: string; readonly place: SpaceWithItem },
  places: readonly SpaceWithItem[],
  spaces: Spaces,
): LocatedItem {
  const { name: space, file } = place;
  const read = (): ReturnType<LocatedItem['read']> => spaces.read(kind, id, space);
  return { kind, id, space, isOutside: false, file, ...shadowsOf(places, space), remarks: [], read };
}
