import { statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../core/errors.ts';
import { CONFIG_NAMES, overridePlaces, TABLE_NAMES, type ConfigSources } from './layers.ts';

/** Where users and projects may have config files: the folders, outer ones first. Most of them do not exist. */
export function overrideFolders(sources: ConfigSources): readonly string[] {
  return overridePlaces(sources).flatMap(({ folder }) => [folder, join(folder, 'extractors')]);
}

/** Every file that users and projects may have; most of them do not exist. */
export function overrideFiles(sources: ConfigSources): readonly string[] {
  const names = [...CONFIG_NAMES, ...TABLE_NAMES];
  return overridePlaces(sources).flatMap(({ folder }) => names.map((name) => join(folder, `${name}.yaml`)));
}

/**
 * A text that is another when a file of users or projects was changed, added or removed since. Looks at each file that
 * could be there, and reads none.
 */
export function configStamp(sources: ConfigSources): string {
  return overrideFiles(sources).map(stampOfFile).join('|');
}

function stampOfFile(file: string): string {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats === undefined ? '' : [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(':');
  } catch (thrown) {
    // Reading the config will say what is wrong with it; here it is only not what it was.
    return `unreadable: ${messageOf(thrown)}`;
  }
}
