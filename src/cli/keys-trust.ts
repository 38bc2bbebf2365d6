import { join, resolve } from 'node:path';
import { projectFolder } from '../config/project-folder.ts';
import { readPublicKey, type PublicKey } from '../items/signature/public-key.ts';
import { readKeyFile } from '../items/signature/read-key-file.ts';
import { trustKey } from '../items/signature/trust-key.ts';
import { SkeinError } from '../index.ts';
import { defineCommand, type Command } from './command.ts';
import { EXIT } from './exit-code.ts';
import type { CliIo } from './io.ts';
import { userSpaceOf } from './item-places.ts';
import { COMMON, valued } from './options.ts';
import { onlyPositional } from './positionals.ts';
import { printable, printableJson } from './printable.ts';

/** `skein keys trust FILE|PEM`: trusts a public key, for the user or in a project; prints its fingerprint. */
export const keysTrust: Command = defineCommand({
  name: 'keys trust',
  takes: 'FILE|PEM',
  summary: "trust somebody's public key",
  options: { project: valued('FOLDER', 'only in this project (default: for all that is yours)'), json: COMMON.json },
  examples: [['skein keys trust ada.pem --project .', 'take items that Ada has signed, here']],
  // PEM text begins with dashes, as options do.
  isWord: isPem,
  run({ values, positionals }, io) {
    const given = onlyPositional('keys trust', 'public key: a file, or its PEM text', positionals);
    const key = readKey(given, io);
    const space = values.project === undefined ? userSpaceOf(io) : join(projectFolder(values.project, io.cwd), '.ai');
    const { fingerprint, file, added } = trustKey(space, key);
    io.stderr.write(`${added ? 'Trusted from now on' : 'Trusted already'}: ${printable(file)}\n`);
    io.stdout.write(`${values.json ? printableJson({ fingerprint, file, added }) : fingerprint}\n`);
    return EXIT.completed;
  },
});

function isPem(word: string): boolean {
  return word.trimStart().startsWith('-----BEGIN ');
}

function readKey(given: string, { cwd }: CliIo): PublicKey {
  if (isPem(given)) return readPublicKey(given);
  const file = resolve(cwd, given);
  const found = readKeyFile(file);
  if (found !== undefined) return readPublicKey(found.text, file);
  throw new SkeinError('invalid_argument', 'There is no such key file', { where: { file } });
}
