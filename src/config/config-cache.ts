import { isDeepStrictEqual } from 'node:util';
import { shareRuns } from '../core/shared-runs.ts';
import type { Config } from './config.ts';

/** Which parts of a configuration are others than before; empty if the files say the same. */
export type ConfigChange = { readonly changed: readonly (keyof Config)[] };

/**
 * The configuration of one project (S2 §7.7).
 *
 * Invariants:
 * 1. `current` reads nothing: what was loaded holds until something else was read that is valid.
 * 2. One reading at a time; a `clear` that comes while one is under way is followed by another, shared by all who ask.
 * 3. The configuration is exchanged as a whole or not at all.
 */
export interface ConfigCache {
  current(): Config;
  /**
   * Forgets what was read and reads it again. Resolves when what the files say is in force.
   *
   * @throws SkeinError `invalid_config` and others with file and path; then the one before stays in force
   */
  clear(): Promise<ConfigChange>;
}

/** What a cache is made from. */
export type ConfigCacheOptions = {
  readonly loaded: Config;
  /** Reads all files, somewhere; rejects if they are not valid. Gets the one in force. */
  readonly read: (before: Config) => Promise<Config>;
  /** Told once of each exchange, right after it. */
  readonly adopted: (config: Config, change: ConfigChange) => void;
};

/** Makes the cache of a project. */
export function createConfigCache({ loaded, read, adopted }: ConfigCacheOptions): ConfigCache {
  let config = loaded;

  const exchange = async (): Promise<ConfigChange> => {
    const fresh = await read(config);
    const change = { changed: differences(config, fresh) };
    if (change.changed.length === 0) return change;
    config = fresh;
    adopted(config, change);
    return change;
  };
  return { current: () => config, clear: shareRuns(exchange) };
}

function differences(before: Config, after: Config): readonly (keyof Config)[] {
  // The keys of a config are those of its type.
  return (Object.keys(after) as (keyof Config)[]).filter((key) => !isDeepStrictEqual(before[key], after[key]));
}
