import { existsSync, watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Clock, Timer } from '../core/clock.ts';
import { toFailure, type Failure } from '../core/errors.ts';
import { overrideFolders, stampOf } from './config-files.ts';
import type { ConfigSources } from './layers.ts';

/** What watching needs. */
export type ConfigWatch = {
  readonly sources: ConfigSources;
  /** `stampOf` the sources when they were last read; undefined if they changed meanwhile. */
  readonly stamp: () => string | undefined;
  readonly clock: Clock;
  /** Called once the files have been left alone for a moment and are not as they were read. */
  readonly changed: () => void;
  /** Told of folders that can't be watched; their files hold until something else has them read. */
  readonly failed: (failure: Failure) => void;
};

/** Editors write a file in several steps. */
const QUIET_MS = 100;

/**
 * Watches the config files of user and project, also those in folders that do not exist yet; nothing is polled and the
 * process is not kept alive. Returns the way to stop.
 *
 * What is watched are folders: those there are, and above one that is missing the nearest there is. After every change
 * the folders are looked for anew, and the files' stamps say whether it was one of them.
 */
export function watchConfig({ sources, stamp, clock, changed, failed }: ConfigWatch): () => void {
  let watchers: readonly FSWatcher[] = [];
  let timer: Timer | undefined;
  let told = false;

  const fail = (thrown: unknown): void => {
    if (told) return;
    told = true;
    const { message } = toFailure(thrown);
    failed({ code: 'not_available', message: `Changes of the config files are not noticed: ${message}` });
  };
  const look = (): void => {
    timer = undefined;
    const before = watchers;
    watchers = watchFolders(placesOf(overrideFolders(sources)), { notice, fail });
    for (const watcher of before) watcher.close();
    if (stampOf(sources) !== stamp()) changed();
  };
  const notice = (): void => {
    if (timer !== undefined) clock.clearTimer(timer);
    timer = clock.setTimer(QUIET_MS, look);
  };

  look();
  return () => {
    if (timer !== undefined) clock.clearTimer(timer);
    for (const watcher of watchers) watcher.close();
  };
}

/** Folders to watch, and the names in them that matter; undefined: all. */
type Places = ReadonlyMap<string, Set<string> | undefined>;

function placesOf(folders: readonly string[]): Places {
  const places = new Map<string, Set<string> | undefined>();
  for (const folder of folders) {
    // A folder can be moved away or replaced as a whole, and so can those around it.
    if (existsSync(folder)) places.set(folder, undefined);
    addAbove(folder, places);
  }
  return places;
}

/** Watches where the folder would appear or disappear: two levels above it, or the nearest there is. */
function addAbove(folder: string, places: Map<string, Set<string> | undefined>): void {
  let child = folder;
  for (let above = dirname(child), level = 0; above !== child; above = dirname(child), level++) {
    const isThere = existsSync(above);
    const names = places.get(above) ?? new Set();
    if (isThere && !(places.has(above) && places.get(above) === undefined))
      places.set(above, names.add(basename(child)));
    if (isThere && level >= 1) return;
    child = above;
  }
}

/** In a folder of config files: those, and folders. */
function isOfInterest(name: string): boolean {
  return name.endsWith('.yaml') || !name.includes('.');
}

type Listeners = { readonly notice: () => void; readonly fail: (thrown: unknown) => void };

function watchFolders(places: Places, { notice, fail }: Listeners): readonly FSWatcher[] {
  return [...places].flatMap(([folder, names]) => {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name === null || (names?.has(name) ?? isOfInterest(name))) notice();
      });
      return [watcher.on('error', fail)];
    } catch (thrown) {
      // It may be gone again: what is above it is watched too.
      if (existsSync(folder)) fail(thrown);
      return [];
    }
  });
}
