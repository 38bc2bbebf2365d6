import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import { stampOf } from '../../config/config-files.ts';
import { defaultUserSpace, SYSTEM_DIR } from '../../config/default-places.ts';
import type { ConfigSources } from '../../config/layers.ts';
import { loadConfig } from '../../config/load.ts';
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
  /** How the files were when they were read (`stampOf`). */
  readonly stamp: string;
};

/**
 * Reads the configuration a runtime with these options has.
 *
 * @throws SkeinError `invalid_config`, or `invalid_argument` for a project that is no folder
 */
export function loadRuntimeConfig(options: StartOptions): RuntimeConfig {
  const projectPath = projectFolder(options.project ?? '.');
  const userSpace = userSpaceOf(options);
  const systemDir = SYSTEM_DIR;
  const sources: ConfigSources = {
    systemDir,
    projectDir: projectPath,
    ...(userSpace !== undefined && { userDir: userSpace }),
    ...(options.config && { overrides: options.config }),
  };
  // Before the files are read: a change after that is noticed, if only later.
  const stamp = stampOf(sources);
  const { config, warnings } = loadConfig(sources);
  return { projectPath, userSpace, systemDir, config, sources: withOwnOverrides(sources), warnings, stamp };
}

/** What the embedder does with its object later changes nothing. It was plain data, or loading would have failed. */
function withOwnOverrides({ overrides, ...sources }: ConfigSources): ConfigSources {
  return { ...sources, ...(overrides && { overrides: structuredClone(overrides) }) };
}

/** The project's root, resolved. A runtime makes `.ai/threads` below it, never the project itself. */
export function projectFolder(project: string): string {
  const path = resolve(project);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new SkeinError('invalid_argument', `The project ${path} is not a folder`, { where: { file: path } });
}

function userSpaceOf({ userSpace, env }: StartOptions): string | undefined {
  // It would be the folder in which the process was started.
  if (userSpace === '') throw new SkeinError('invalid_argument', 'userSpace is ""; a folder is expected, or false');
  return userSpace === false ? undefined : (userSpace ?? defaultUserSpace(env));
}
