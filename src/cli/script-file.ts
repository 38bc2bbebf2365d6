import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readYamlFile } from '../config/yaml.ts';
import { messageOf } from '../core/errors.ts';
import { SkeinError } from '../index.ts';
import { readPairs } from './arguments.ts';

/** Scripts of the scripted model by name. */
export type Scripts = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The scripts of options `--script NAME=FILE`. @throws SkeinError `invalid_argument`, `invalid_config` */
export function readScripts(pairs: readonly string[], cwd: string): Scripts {
  const named = Object.entries(readPairs('--script', pairs));
  return Object.fromEntries(named.map(([name, file]) => [name, readScript(resolve(cwd, file))]));
}

/** A script of the scripted model from a YAML or JSON file. @throws SkeinError `invalid_argument`, `invalid_config` */
export function readScript(file: string): Readonly<Record<string, unknown>> {
  if (MODULE.test(file))
    throw refusal('A script that is a module is for skein llm-server; here it is YAML or JSON', file);
  const script = readYamlFile(file);
  if (script === undefined) throw refusal('There is no such script', file);
  return script;
}

/**
 * A script that is played in this process: from a YAML or JSON file, or what a module of JavaScript or TypeScript exports by
 * default, which may have a function `respond`. @throws SkeinError `invalid_argument`, `invalid_config`
 */
export async function loadScript(file: string): Promise<object> {
  if (!MODULE.test(file)) return readScript(file);
  if (!existsSync(file)) throw refusal('There is no such script', file);
  const module = await importModule(file);
  if (typeof module.default === 'object' && module.default !== null) return module.default;
  throw refusal('The module exports no script by default', file);
}

const MODULE = /\.[cm]?[jt]s$/;

async function importModule(file: string): Promise<{ readonly default?: unknown }> {
  try {
    return await import(pathToFileURL(file).href);
  } catch (cause) {
    throw refusal(`The module can't be loaded: ${messageOf(cause)}`, file, cause);
  }
}

function refusal(message: string, file: string, cause?: unknown): SkeinError {
  return new SkeinError('invalid_argument', message, { where: { file }, cause });
}
