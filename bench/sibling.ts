import { extname } from 'node:path';

/** Where a module beside another one is, by its name: as it is written here, or compiled in the package. */
export function sibling(name: string, of: ImportMeta): URL {
  return new URL(`./${name}${extname(of.filename)}`, of.url);
}
