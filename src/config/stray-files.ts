import { readdirSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { nearest } from '../core/nearest.ts';
import { CONFIG_NAMES, type OverridePlace } from './layers.ts';

/** What lies in the config folders but is not read although it looks as if it should be. */
export function findStrayFiles(places: readonly OverridePlace[]): readonly string[] {
  return places.flatMap(({ folder }) =>
    [...yamlFiles(folder), ...yamlFiles(folder, 'extractors')].flatMap((file) => {
      const why = whyUnread(file);
      return why === undefined ? [] : [`${join(folder, file)} is not read: ${why}`];
    }),
  );
}

/** The names of such files, with the folder if it is one below. Editors' own are hidden. */
function yamlFiles(folder: string, below = ''): readonly string[] {
  const files = namesIn(join(folder, below)).filter((name) => /^[^.].*\.ya?ml$/.test(name));
  return files.toSorted().map((file) => posix.join(below, file));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Most are not there. If one can't be looked into, reading a file of it says so.
    return [];
  }
}

const KNOWN: readonly string[] = CONFIG_NAMES;
const SECTIONS: ReadonlySet<string> = new Set(['coordination', 'continuation']);

function whyUnread(file: string): string | undefined {
  const name = file.replace(/\.ya?ml$/, '');
  if (KNOWN.includes(name)) return file.endsWith('.yaml') ? undefined : `rename it to ${basename(name)}.yaml`;
  if (SECTIONS.has(name)) return `"${name}" is a section of resilience.yaml`;
  const bases = KNOWN.map((known) => basename(known));
  const meant = KNOWN[bases.indexOf(nearest(basename(name), bases) ?? '')];
  return `there is no config file of this name${meant === undefined ? '' : `; ${meant}.yaml may be meant`}`;
}
