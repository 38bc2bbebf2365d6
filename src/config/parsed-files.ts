import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { CONFIG_NAMES, TABLE_NAMES, type ConfigName, type TableName } from './layers.ts';
import type { Document } from './merge.ts';
import { readText } from './yaml.ts';

/** What the shipped files say, as the build has read and checked it, so that no start has to (ADR 60). */
export type ParsedFiles = {
  /** Each file as `readDocuments` gives it. */
  readonly documents: Readonly<Record<ConfigName | TableName, Document>>;
  /** What they are parsed to with nothing laid over them. */
  readonly config: Config;
};

/** Lies beside the files: a line with a digest, and one of JSON. */
export const PARSED_FILE = 'parsed.jsonl';

/** What the build has parsed; undefined if there is nothing, or not of the files as they are now. Then they are read. */
export function readParsedFiles(systemDir: string): ParsedFiles | undefined {
  const [digest, json] = parsedText(systemDir)?.split('\n') ?? [];
  if (json === undefined || digest !== digestOf(systemDir, json)) return undefined;
  return JSON.parse(json) as ParsedFiles; // the build has written it, since it is of that digest
}

function parsedText(systemDir: string): string | undefined {
  try {
    return readText(join(systemDir, PARSED_FILE));
  } catch {
    // Not a file of text: the files that count are there.
    return undefined;
  }
}

/** The text of the file for what the files in a folder are parsed to. */
export function parsedFilesText(systemDir: string, parsed: ParsedFiles): string {
  const json = JSON.stringify(parsed);
  return `${digestOf(systemDir, json)}\n${json}\n`;
}

/** Of the JSON and of every file, so that neither counts if the other was changed. A missing file is told by who needs it. */
function digestOf(systemDir: string, json: string): string {
  const hash = createHash('sha256').update(json);
  for (const name of [...CONFIG_NAMES, ...TABLE_NAMES]) {
    hash.update(`\n${name}\n`).update(readText(join(systemDir, `${name}.yaml`)) ?? '');
  }
  return JSON.stringify(hash.digest('hex'));
}
