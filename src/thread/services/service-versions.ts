import type { Config } from '../../config/config.ts';
import type { ThreadNo } from '../../core/ids.ts';
import { createNumberedMap, type NumberedMap } from '../../core/paged-map.ts';
import { compileMachine } from '../../../machines/compile.ts';
import { threadMachine } from '../../../machines/thread.machine.ts';
import { createThreadActions } from '../steps/effects.ts';
import type { Services } from './services.ts';
import type { Thread } from '../thread.ts';
import { createToolWaits, type ToolWaits } from '../tools/tool-waits.ts';

/** Services without what the thread host itself provides, and what becomes of them when the config changes. */
export type ThreadHostServices = Omit<Services, 'forget' | 'leave' | 'latest'> & {
  /** The services for another config; they share with these what does not depend on what has changed. */
  readonly renewed: (config: Config) => ThreadHostServices;
  /** No thread has them any more. */
  readonly retire: () => void;
};

/** What the threads of one version of the config have in common. */
export type Version = {
  readonly services: Services & Pick<ThreadHostServices, 'renewed' | 'retire'>;
  readonly machine: ReturnType<typeof compileMachine<typeof threadMachine>>;
  readonly toolWaits: ToolWaits;
  /** Threads that have it. */
  readonly holders: NumberedMap<true>;
};

/**
 * The versions of the config that a worker's threads have.
 *
 * Invariants:
 * 1. A thread has the version that was the latest when it came, for as long as anything of it runs.
 * 2. Services are retired once, when they are not the latest and no thread has them.
 */
export interface ServiceVersions {
  /** The version of threads that start now. */
  latest(): Version;
  /** Threads that start from now on have this config. @throws whatever is wrong with it; then all stays as it is */
  renew(config: Config): void;
  /** The thread has the latest version from now on. */
  hold(thread: ThreadNo): Version;
  /** The thread has its version no longer. */
  letGo(thread: ThreadNo, version: Version): void;
}

/** What versions are made from. */
export type VersionsOptions = {
  readonly given: ThreadHostServices;
  readonly forget: (thread: Thread) => void;
  readonly isStopping: (thread: ThreadNo) => boolean;
};

/** Makes the versions of a worker; `given` is the first. */
export function createServiceVersions({ given, forget, isStopping }: VersionsOptions): ServiceVersions {
  const newVersion = (parts: ThreadHostServices): Version => {
    const leave = (thread: Thread): void => letGo(thread.lineage.thread, version);
    const services = { ...parts, forget, leave, latest: () => latest.services };
    const version: Version = {
      services,
      machine: compileMachine(
        threadMachine.provide({ actions: createThreadActions(services) }),
        services.inspection.onlookerOf,
      ),
      toolWaits: createToolWaits({ mcp: services.mcp, isStopping }),
      holders: createNumberedMap(),
    };
    return version;
  };
  let latest = newVersion(given);
  const letGo = (thread: ThreadNo, version: Version): void => {
    if (version.holders.delete(thread)) retireIfUnused(version);
  };
  const retireIfUnused = (version: Version): void => {
    if (version !== latest && version.holders.size() === 0) version.services.retire();
  };
  return {
    latest: () => latest,
    renew(config) {
      const before = latest;
      latest = newVersion(before.services.renewed(config));
      retireIfUnused(before);
    },
    hold(thread) {
      latest.holders.set(thread, true);
      return latest;
    },
    letGo,
  };
}
