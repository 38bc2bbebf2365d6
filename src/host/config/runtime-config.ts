import type { Config } from '../../config/config.ts';
import { configStamp } from '../../config/config-files.ts';
import { defaultUserSpace, SYSTEM_DIR } from '../../config/default-places.ts';
import type { ConfigSources } from '../../config/layers.ts';
import { loadConfig } from '../../config/load.ts';
import { projectFolder } from '../../config/project-folder.ts';
import { SkeinError } from '../../core/errors.ts';
import type { RuntimeOptions } from '../runtime-options.ts';

/** Options of a runtime with the environment filled in. */
export type StartOptions = RuntimeOptions & { readonly env: Readonly<Record<string, string | undefined>> };

/** A runtime's configuration, and the folders it came from. */
export type RuntimeConfig = {
  readonly projectPath: string;
  readonly userSpace: string | undefined;
  readonly systemDir: string;
  readonly config: Config;
  /** What it was read from, to read it again. */
  readonly sources: ConfigSources;
  /** What the user should know about the files. */
  readonly warnings: readonly string[];
  /** How the files were when they were read (`configStamp`). */
  readonly stamp: string;
};

/**
 * Reads the configuration a runtime with these options has.
 *
 * @throws SkeinError `invalid_config`, or `invalid_argument` for a project that is no folder
 */
export function loadRuntimeConfig(options: StartOptions): RuntimeConfig {
  const projectPath = projectFolder(options.project);
  const userSpace = userSpaceOf(options);
  const systemDir = SYSTEM_DIR;
  const sources: ConfigSources = {
    systemDir,
    projectDir: projectPath,
    ...(userSpace !== undefined && { userDir: userSpace }),
    ...(options.config && { overrides: options.config }),
  };
  // Before the files are read: a change after that is noticed, if only later.
  const stamp = configStamp(sources);
  const { config, warnings } = loadConfig(sources);
  return { projectPath, userSpace, systemDir, config, sources: withOwnOverrides(sources), warnings, stamp };
}

/** What the embedder does with its object later changes nothing. It was plain data, or loading would have failed. */
function withOwnOverrides({ overrides, ...sources }: ConfigSources): ConfigSources {
  return { ...sources, ...(overrides && { overrides: structuredClone(overrides) }) };
}

function userSpaceOf({ userSpace, env }: StartOptions): string | undefined {
  // It would be the folder in which the process was started.
  if (userSpace === '') throw new SkeinError('invalid_argument', 'userSpace is ""; a folder is expected, or false');
  return userSpace === false ? undefined : (userSpace ?? defaultUserSpace(env));
}
