import { SPACE_NAMES, type SpaceName } from '../core/item.ts';
import type { ItemWarning } from './item-warning.ts';

/** A tool of a list, and whether the trust policy has nothing to say about it. */
export type ListedTool = { readonly space: SpaceName; readonly isTrusted: boolean };

/**
 * Makes the function that is given each list of tools and tells, once per space, how many of them no trusted key signed:
 * everything in a new project is unsigned, and a remark for each file would hide all others.
 */
export function remarkOnTools(
  onWarning: ((warning: ItemWarning) => void) | undefined,
): (tools: readonly ListedTool[]) => void {
  const told = new Set<SpaceName>();
  return (tools) => {
    for (const space of SPACE_NAMES) {
      const all = tools.filter((tool) => tool.space === space);
      const count = all.filter(({ isTrusted }) => !isTrusted).length;
      if (count === 0 || told.has(space)) continue;
      told.add(space);
      const message =
        `${count} of ${all.length} tools of the ${space} space are not signed with a key that is trusted; ` +
        '"skein verify --kind tool" lists them, "skein sign ID..." signs them';
      onWarning?.({ code: 'item_unsigned', message, where: { path: `trust.${space}` } });
    }
  };
}
