import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { defaultUserSpace, SYSTEM_DIR } from '../config/default-places.ts';
import { loadConfig } from '../config/load.ts';
import { SkeinError } from '../core/errors.ts';
import type { RuntimeOptions } from './runtime-options.ts';

/** Options of a runtime with the environment filled in. */
export type StartOptions = RuntimeOptions & { readonly env: Readonly<Record<string, string | undefined>> };

/** A runtime's configuration, and the folders it came from. */
export type RuntimeConfig = {
  readonly projectPath: string;
  readonly userSpace: string | undefined;
  readonly systemDir: string;
  readonly config: Config;
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
  const { config } = loadConfig({
    systemDir,
    projectDir: projectPath,
    ...(userSpace !== undefined && { userDir: userSpace }),
    ...(options.config && { overrides: options.config }),
  });
  return { projectPath, userSpace, systemDir, config };
}

/** The project's root, resolved. A runtime makes `.ai/threads` below it, never the project itself. */
function projectFolder(project: string): string {
  const path = resolve(project);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new SkeinError('invalid_argument', `The project ${path} is not a folder`, { where: { file: path } });
}

function userSpaceOf({ userSpace, env }: StartOptions): string | undefined {
  return userSpace === false ? undefined : (userSpace ?? defaultUserSpace(env));
}
