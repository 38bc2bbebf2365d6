import { existsSync, watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Clock, Timer } from '../core/clock.ts';
import { type Failure, messageOf } from '../core/errors.ts';
import { overrideFiles, overrideFolders, configStamp } from './config-files.ts';
import { linksFrom } from './links-from.ts';
import type { ConfigSources } from './layers.ts';

/** What watching needs. */
export type ConfigWatch = {
  readonly sources: ConfigSources;
  /** `configStamp` the sources when they were last read; undefined if they changed meanwhile. */
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
 * What is watched are folders: those there are, and above one that is missing the nearest there is; for a file that is a
 * symbolic link also where it leads. After every change the folders are looked for anew, and the files' stamps say whether
 * it was one of them.
 */
export function watchConfig({ sources, stamp, clock, changed, failed }: ConfigWatch): () => void {
  let watchers: readonly FSWatcher[] = [];
  let timer: Timer | undefined;
  let told = false;

  const fail = (thrown: unknown): void => {
    if (told) return;
    told = true;
    const message = messageOf(thrown);
    failed({ code: 'not_available', message: `Changes of the config files are not noticed: ${message}` });
  };
  const look = (): void => {
    timer = undefined;
    const before = watchers;
    watchers = watchFolders(placesOf(sources), { notice, fail });
    for (const watcher of before) watcher.close();
    if (configStamp(sources) !== stamp()) changed();
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

/** What matters in a folder that is watched: these names, and in one of config files those that look like some. */
type Place = { readonly names: Set<string>; hasConfig: boolean };
type Places = Map<string, Place>;

function placesOf(sources: ConfigSources): Places {
  const places: Places = new Map();
  for (const folder of overrideFolders(sources)) {
    // A folder can be moved away or replaced as a whole, and so can those around it.
    if (existsSync(folder)) placeAt(folder, places).hasConfig = true;
    addAbove(folder, places);
  }
  for (const file of overrideFiles(sources)) {
    for (const target of linksFrom(file)) {
      if (existsSync(dirname(target))) placeAt(dirname(target), places).names.add(basename(target));
      addAbove(dirname(target), places);
    }
  }
  return places;
}

function placeAt(folder: string, places: Places): Place {
  const place = places.get(folder) ?? { names: new Set(), hasConfig: false };
  places.set(folder, place);
  return place;
}

/** Watches where the folder would appear or disappear: two levels above it, or the nearest there is. */
function addAbove(folder: string, places: Places): void {
  let child = folder;
  for (let above = dirname(child), level = 0; above !== child; above = dirname(child), level++) {
    const isThere = existsSync(above);
    if (isThere) placeAt(above, places).names.add(basename(child));
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
  return [...places].flatMap(([folder, { names, hasConfig }]) => {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name === null || names.has(name) || (hasConfig && isOfInterest(name))) notice();
      });
      return [watcher.on('error', fail)];
    } catch (thrown) {
      // It may be gone again: what is above it is watched too.
      if (existsSync(folder)) fail(thrown);
      return [];
    }
  });
}
