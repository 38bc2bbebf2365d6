import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** As many as Linux follows. */
const MAX_LINKS = 40;

/** Where a file leads that is a symbolic link, link by link; nothing for any other, or for none. */
export function linksFrom(file: string): readonly string[] {
  const targets: string[] = [];
  for (let at = nextOf(file); at !== undefined && targets.length < MAX_LINKS; at = nextOf(at)) targets.push(at);
  return targets;
}

function nextOf(file: string): string | undefined {
  try {
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return undefined;
    return resolve(realpathSync(dirname(file)), readlinkSync(file));
  } catch {
    // Not to be looked at, or gone meanwhile: reading it will say so.
    return undefined;
  }
}
