import type { Config } from '../../config/config.ts';
import { configStamp } from '../../config/config-files.ts';
import { createConfigCache, type ConfigCache, type ConfigChange } from '../../config/config-cache.ts';
import { deepFreeze } from '../../config/freeze.ts';
import type { ConfigSources } from '../../config/layers.ts';
import type { ConfigReading } from '../../core/control-surface.ts';
import { SkeinError, type Failure, type SkeinErrorCode } from '../../core/errors.ts';
import type { ControlClient } from '../workers/control-client.ts';
import { checkConfigShape } from './config-shape.ts';
import { keepFixed } from './fixed-settings.ts';

/** What the configuration of a running runtime depends on. */
export type LiveConfigOptions = {
  readonly config: Config;
  readonly sources: ConfigSources;
  /** What was said about the files when they were read: it is not said again. */
  readonly warnings: readonly string[];
  /** The worker that reads the files: the host does no such work itself. */
  readonly reader: () => Pick<ControlClient, 'readConfig'>;
  /** Told how the files were when they were read (`configStamp`), valid or not; undefined if they changed meanwhile. */
  readonly read: (stamp: string | undefined) => void;
  /** Puts another configuration in force. */
  readonly adopt: (config: Config, change: ConfigChange) => void;
  readonly problem: (failure: Failure) => void;
};

/**
 * The configuration of a runtime. What replaces it was read in a worker, is valid; what can't be exchanged while
 * threads run is told as a problem and stays (docs/adr/0015).
 */
export function createLiveConfig(options: LiveConfigOptions): ConfigCache {
  const { config, sources, adopt, problem } = options;
  let said: ReadonlySet<string> = new Set(options.warnings);
  const warn = (warnings: readonly string[]): void => {
    for (const message of warnings) if (!said.has(message)) problem({ code: 'invalid_config', message });
    said = new Set(warnings);
  };
  return createConfigCache({
    loaded: config,
    adopted: adopt,
    async read(before) {
      const stamp = configStamp(sources);
      const reading = await readFiles(options);
      options.read(stamp === configStamp(sources) ? stamp : undefined);
      const fresh = open(reading, warn);
      const { config: next, kept } = keepFixed(fresh, before);
      if (kept.length > 0) {
        const message = `A change of ${kept.join(' and ')} holds from the next start on`;
        problem({ code: 'not_available', message });
      }
      return deepFreeze(next);
    },
  });
}

function readFiles({ sources, reader }: LiveConfigOptions): Promise<ConfigReading> {
  const { overrides, ...places } = sources;
  return reader().readConfig({ ...places, ...(overrides && { overrides: { ...overrides } }) });
}

function open(reading: ConfigReading, warn: (warnings: readonly string[]) => void): Config {
  if ('config' in reading) {
    warn(reading.warnings);
    return checkConfigShape(reading.config);
  }
  const { code, message, where } = reading;
  // Codes are those of the parser, which is the same in the worker.
  throw new SkeinError(code as SkeinErrorCode, message, where && { where });
}
