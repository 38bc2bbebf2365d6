import { isRecord } from '../../core/record.ts';
import { attempt } from '../../core/result.ts';
import { checkChoice, refusedArgument, refusedAs } from '../handle/argument-types.ts';
import { checkPlain } from '../handle/plain-data.ts';
import type { RuntimeOptions } from '../runtime-options.ts';

/**
 * Refuses options of another type: callers without types may pass anything, and what is only found further inside fails there, or
 * means something else.
 *
 * @throws SkeinError `invalid_argument`
 */
export function checkRuntimeOptions(options: RuntimeOptions): void {
  const { project, userSpace, config, env, record, replay, tools, scripts } = options;
  checkFolder('project', project);
  if (userSpace !== false) checkPath('userSpace', userSpace);
  checkFolder('record', record);
  checkFolder('replay', replay);
  for (const name of ['config', 'env', 'scripts'] as const) checkObject(name, options[name]);
  if (config) checkPlain('config', config);
  checkVariables(env);
  for (const name of ['watchConfig', 'controlSocket'] as const) checkChoice(name, options[name]);
  for (const name of ['telemetry', 'inspect'] as const) {
    if (typeof options[name] !== 'boolean') checkObject(name, options[name], 'true, false or an object');
  }
  checkTools(tools);
  if (!attempt(() => structuredClone(scripts)).ok) {
    throw refusedAs('scripts', 'plain data', 'something with a function in it');
  }
}

function checkPath(name: string, given: unknown): void {
  if (given === undefined || (typeof given === 'string' && !given.includes('\0'))) return;
  throw refusedArgument(name, 'the path of a folder', given);
}

/** An empty path would be the folder in which the process was started. */
function checkFolder(name: string, given: unknown): void {
  checkPath(name, given);
  if (given === '') throw refusedAs(name, 'the path of a folder', '""');
}

function checkObject(name: string, given: unknown, expected = 'an object'): void {
  if (given === undefined || isRecord(given)) return;
  throw refusedArgument(name, expected, given);
}

/** A value may be a secret, whatever its type: it is not told. */
function checkVariables(env: RuntimeOptions['env'] = {}): void {
  for (const [name, value] of Object.entries<unknown>(env)) {
    if (value !== undefined && typeof value !== 'string') throw refusedAs(`env.${name}`, 'a text', 'something else');
  }
}

function checkTools(given: unknown): void {
  const isTool = (one: unknown): boolean => typeof one === 'string' || one instanceof URL;
  if (given === undefined || (Array.isArray(given) && given.every(isTool))) return;
  throw refusedArgument('tools', 'a list of module URLs', given);
}
