import { basename, dirname, extname, isAbsolute, resolve } from 'node:path';
import { parseYaml } from '../config/yaml.ts';
import { SkeinError } from '../core/errors.ts';
import type { PromptyAgent } from '../core/prompty-agent.ts';
import { own } from '../core/record.ts';
import { readItemFile, realItemFile } from './item-file.ts';
import { readPrompty } from './prompty-file.ts';
import { readJson } from './safe-json.ts';

/** Options of {@link loadPrompty}. */
export type LoadPromptyOptions = {
  /** What `${env:NAME}` reads. Default: nothing is set. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Told each value that was read from `env`, short ones too, so that it can be kept out of traces. */
  readonly onVariable?: (value: string) => void;
};

/**
 * Loads a `.prompty` file. Files it refers to are read only inside of its folder, links followed; the name falls back to the
 * file's.
 *
 * @throws SkeinError `item_not_found`, `invalid_item` with file and line, `item_id_refused` for a reference that leads out of the
 * folder, `item_too_large`
 */
export function loadPrompty(path: string, { env = {}, onVariable }: LoadPromptyOptions = {}): PromptyAgent {
  const file = realItemFile(resolve(path));
  if (file === undefined) throw notThere(resolve(path));
  const folder = dirname(file);
  const read = readItemFile(file, folder);
  if (read === undefined) throw notThere(file);
  const place = { file, name: basename(file, extname(file)) };
  const variable = (name: string): string | undefined => {
    const value = own(env, name);
    if (value !== undefined) onVariable?.(value);
    return value;
  };
  return readPrompty(read.text, place, { variable, file: (name) => readReference(name, folder, file) }).agent;
}

function notThere(file: string): SkeinError {
  return new SkeinError('item_not_found', 'There is no such file', { where: { file } });
}

function readReference(name: string, folder: string, from: string): unknown {
  if (isAbsolute(name) || /(?:^|[\\/])\.\.(?:[\\/]|$)|\\|\0/.test(name)) {
    const message = `\${file:${name}}: a path below the file's folder is expected`;
    throw new SkeinError('item_id_refused', message, { where: { file: from } });
  }
  const read = readItemFile(resolve(folder, name), folder);
  if (read === undefined)
    throw new SkeinError('item_not_found', `\${file:${name}}: there is no such file`, { where: { file: from } });
  const { file } = read.stamp;
  switch (extname(name).toLowerCase()) {
    case '.yaml':
    case '.yml':
      return parseYaml(read.text, { file, code: 'invalid_item' });
    case '.json': {
      const json = readJson(read.text);
      if (json.ok) return json.value;
      throw new SkeinError('invalid_item', `The file is ${json.reason}`, { where: { file } });
    }
    default:
      return read.text;
  }
}
