import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SkeinError } from '../core/errors.ts';
import { attempt } from '../core/result.ts';
import { asText, resolvePath } from '../core/path.ts';
import type { ToolCaller } from '../core/tool.ts';
import { isInside } from '../core/path-inside.ts';
import { childEnv } from './child-env.ts';
import type { Chain } from './execution-chain.ts';
import { grantedNames } from './granted-env.ts';
import { findInterpreter, findProgram } from './interpreter.ts';
import type { ProcessRuntimeOptions } from './process-runtime.ts';
import { subprocessConfig, type SubprocessConfig } from './subprocess-config.ts';
import type { ProcessOrder } from './tool-process.ts';
import { fillWord, parseWord } from './word-template.ts';

/** A call of a tool: params that fit its schema, and who calls. */
export type ProcessInput = { readonly params: Readonly<Record<string, unknown>>; readonly caller: ToolCaller };

/** What an order takes of the process runtime and of a call: `ProcessInput` and its options fit. */
type OrderPlaces = Pick<Required<ProcessRuntimeOptions>, 'runnersDir' | 'env' | 'envNames' | 'nodePath'>;
type OrderInput = Pick<ProcessInput, 'params'> & { readonly caller: Pick<ToolCaller, 'projectPath'> };

const COMMAND_VARIABLES = ['interpreter', 'project_path', 'runners'];
const ARGUMENT_VARIABLES = [...COMMAND_VARIABLES, 'file', 'memory_mb', 'params', 'params.*'];

/**
 * The process that a chain starts for a call.
 *
 * @throws SkeinError `invalid_item` for settings that can't be used, `tool_failed` when there is no interpreter,
 * `permission_denied` when the project asks for variables the user does not allow.
 */
export function processOrder(
  chain: Chain,
  options: OrderPlaces,
  { params, caller: { projectPath } }: OrderInput,
): ProcessOrder {
  const settings = subprocessConfig(chain);
  const { config, envConfig } = settings;
  const { file, sha256 } = chain.links[0];
  const values = { file, project_path: projectPath, runners: options.runnersDir, memory_mb: config.memoryMb, params };
  const read = (path: string): string =>
    path === 'interpreter'
      ? interpreterOf(chain, settings, { ...options, projectPath })
      : asText(resolvePath(values, path));
  const fill = (word: string, allowed: readonly string[]): string => fillWord(parseWord(word, allowed), read);
  const request = { file, params, project_path: projectPath };
  const command = findProgram(fill(config.command, COMMAND_VARIABLES), options.env);
  const projectProgram = isOfProject(command, projectPath) ? command : undefined;
  return {
    command,
    args: (config.args ?? []).map((word) => fill(word, ARGUMENT_VARIABLES)),
    cwd: projectPath,
    env: { ...childEnv(options.env, grantedNames(chain, options, projectProgram)), ...envConfig?.env },
    input: { request: JSON.stringify(request), params: JSON.stringify(params), none: '' }[config.input],
    verified: { file, sha256 },
    resultOn: config.result,
    timeoutMs: config.timeoutSeconds * 1000,
    maxOutputBytes: config.maxOutputBytes,
    memoryLimitMb: config.memoryMb === 0 ? 0 : config.memoryMb + config.memoryOverheadMb,
  };
}

/**
 * Whether a program lies in the project, whichever of them was reached by a link. The program itself is not resolved: the
 * interpreter of a virtual environment is a link, and runs what lies around it. What is not there can't be started either.
 */
function isOfProject(command: string, projectPath: string): boolean {
  if (isInside(command, projectPath)) return true;
  const place = join(realPath(dirname(command)), basename(command));
  return isInside(place, realPath(projectPath));
}

function realPath(path: string): string {
  const found = attempt(() => realpathSync.native(path));
  return found.ok ? found.value : path;
}

type Search = Parameters<typeof findInterpreter>[1];

function interpreterOf({ links }: Chain, { envConfig }: SubprocessConfig, search: Search): string {
  if (envConfig?.interpreter !== undefined) return findInterpreter(envConfig.interpreter, search);
  throw new SkeinError('invalid_item', 'the command uses ${interpreter}, and no link has env_config.interpreter', {
    where: { file: links[0].file },
    detail: { chain: links.map(({ id }) => id) },
  });
}
