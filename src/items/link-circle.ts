import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { isInside } from '../core/path-inside.ts';

/**
 * Whether a folder that a link leads to holds, or is, one of the folders on the way to the link: through it every item
 * would have ids without end. All paths are absolute and without links.
 */
export function leadsInCircle(target: string, way: readonly string[]): boolean {
  return way.some((folder) => folder === target || isInside(folder, target));
}

/** Whether a link to a folder, on the way from a space's root to a file that is there, leads in a circle. */
export function hasCircle(path: string, root: string): boolean {
  const way = [root];
  let at = root;
  for (const name of relative(root, dirname(path)).split(sep)) {
    const isLink = lstatSync(join(at, name)).isSymbolicLink();
    at = isLink ? realpathSync.native(join(at, name)) : join(at, name);
    if (isLink && leadsInCircle(at, way)) return true;
    way.push(at);
  }
  return false;
}
