import { resolve } from 'node:path';
import { readYamlFile } from '../config/yaml.ts';
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
  const script = readYamlFile(file);
  if (script === undefined) throw new SkeinError('invalid_argument', 'There is no such script', { where: { file } });
  return script;
}
