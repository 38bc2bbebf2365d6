import { ITEM_KINDS, SPACE_NAMES, type ItemKind, type SpaceName } from '../core/item.ts';
import { readChoice } from './arguments.ts';
import { valued } from './options.ts';

/** Options that say which items are meant. */
export const WHICH_ITEMS = {
  kind: valued(ITEM_KINDS.join('|'), 'items of this kind alone'),
  space: valued(SPACE_NAMES.join('|'), 'items of this space alone'),
} as const;

/** Which items are meant; what is undefined restricts nothing. */
export type Wanted = { readonly kind: ItemKind | undefined; readonly space: SpaceName | undefined };

/** What these options say. @throws SkeinError `invalid_argument` */
export function readWanted(values: {
  readonly kind?: string | undefined;
  readonly space?: string | undefined;
}): Wanted {
  return {
    kind: readChoice('--kind', values.kind, ITEM_KINDS),
    space: readChoice('--space', values.space, SPACE_NAMES),
  };
}
