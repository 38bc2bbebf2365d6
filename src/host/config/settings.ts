import type { Config } from '../../config/config.ts';
import type { ConfigSources } from '../../config/layers.ts';
import { watchConfig } from '../../config/watch-config.ts';
import type { Clock } from '../../core/clock.ts';
import { toFailure, type Failure } from '../../core/errors.ts';
import type { ControlClient } from '../workers/control-client.ts';
import { createLiveConfig } from './live-config.ts';
import type { ConfigReload } from '../runtime.ts';

/** The configuration of a runtime, and what happens when its files change. */
export interface Settings {
  current(): Config;
  /** Reads the files again; see `Runtime.reloadConfig`. */
  reload(): Promise<ConfigReload>;
  /** Calls the listener whenever another configuration is in force. */
  onReload(listener: (reload: ConfigReload) => void): void;
  /** Stops watching; what is being read by then comes to nothing. */
  close(): void;
}

/** What settings are made from. */
export type SettingsOptions = {
  readonly config: Config;
  readonly sources: ConfigSources;
  /** What was said about the files when they were read. */
  readonly warnings: readonly string[];
  /** How the files were when they were read; undefined: they are not watched. */
  readonly stamp: string | undefined;
  readonly clock: Clock;
  /** The control surface of some worker. */
  readonly reader: () => Pick<ControlClient, 'readConfig'>;
  /** Puts another configuration in force. */
  readonly adopt: (config: Config) => void;
  readonly problem: (failure: Failure) => void;
};

/** Makes the settings of a runtime, and watches their files if it is to. */
export function createSettings(options: SettingsOptions): Settings {
  const { sources, stamp, clock, adopt, problem } = options;
  const listeners: ((reload: ConfigReload) => void)[] = [];
  let closed = false;
  let read = stamp;
  const live = createLiveConfig({
    ...options,
    read: (as) => void (read = as),
    adopt(config, { changed }) {
      if (closed) return;
      adopt(config);
      for (const listener of listeners) listener({ changed: filesOf(changed) });
    },
  });
  const reload = async (): Promise<ConfigReload> => ({ changed: filesOf((await live.clear()).changed) });
  const reloadQuietly = (): void => {
    void reload().catch((thrown: unknown) => {
      const failure = toFailure(thrown, 'invalid_config');
      if (!closed) problem({ ...failure, message: `The changed configuration is not used: ${failure.message}` });
    });
  };
  const stop =
    stamp === undefined
      ? undefined
      : watchConfig({ sources, stamp: () => read, clock, changed: reloadQuietly, failed: problem });
  return {
    current: () => live.current(),
    reload,
    onReload: (listener) => void listeners.push(listener),
    close() {
      closed = true;
      stop?.();
    },
  };
}

/** The files that the parts of a configuration are written in. */
const FILES: Readonly<Record<keyof Config, string>> = {
  events: 'events.yaml',
  errors: 'error_classification.yaml',
  hooks: 'hooks.yaml or hook_conditions.yaml',
  resilience: 'resilience.yaml',
  agent: 'agent.yaml',
  mcp: 'mcp.yaml',
  cacheLimits: 'cache_limits.yaml',
  projectVouches: 'agent.yaml',
  extractors: 'extractors',
  budget: 'budget_ledger_schema.yaml',
  tables: 'storage schemas',
};

function filesOf(parts: readonly (keyof Config)[]): readonly string[] {
  return [...new Set(parts.map((part) => FILES[part]))];
}
