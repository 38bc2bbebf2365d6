import { readYamlFile } from '../config/yaml.ts';
import { SkeinError } from '../index.ts';

/** A script of the scripted model from a YAML or JSON file. @throws SkeinError `invalid_argument`, `invalid_config` */
export function readScript(file: string): Readonly<Record<string, unknown>> {
  const script = readYamlFile(file);
  if (script === undefined) throw new SkeinError('invalid_argument', 'There is no such script', { where: { file } });
  return script;
}
