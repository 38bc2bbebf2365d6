import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { SkeinError } from '../core/errors.ts';
import { readDocuments } from './documents.ts';
import { parseDocuments } from './load.ts';
import { PARSED_FILE, parsedFilesText, readParsedFiles, type ParsedFiles } from './parsed-files.ts';

/**
 * Writes what the shipped files in a folder are parsed to beside them; for the build.
 *
 * @throws SkeinError `invalid_config` for what is wrong with them, and for what JSON can't hold
 */
export function shipParsedFiles(systemDir: string): void {
  const file = join(systemDir, PARSED_FILE);
  // The files alone count here.
  rmSync(file, { recursive: true, force: true });
  const read = readDocuments({ systemDir });
  const documents = Object.entries({ ...read.layers, ...read.tables }).map(([name, [layer]]) => [
    name,
    layer?.document,
  ]);
  const parsed: ParsedFiles = {
    documents: Object.fromEntries(documents) as ParsedFiles['documents'], // one for each name
    config: parseDocuments(read).config,
  };
  writeFileSync(file, parsedFilesText(systemDir, parsed));
  if (isDeepStrictEqual(readParsedFiles(systemDir), parsed)) return;
  throw new SkeinError('invalid_config', 'the file can not hold what the files of the package are parsed to', {
    where: { file },
  });
}
