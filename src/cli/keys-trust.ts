import { join, resolve } from 'node:path';
import { readPublicKey, type PublicKey } from '../items/signature/public-key.ts';
import { readKeyFile } from '../items/signature/read-key-file.ts';
import { trustKey } from '../items/signature/trust-key.ts';
import { SkeinError } from '../index.ts';
import { readArguments } from './arguments.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { CliIo } from './io.ts';
import { projectFolder, userSpaceOf } from './item-places.ts';
import { onlyPositional } from './positionals.ts';
import { printable } from './printable.ts';

/** `skein keys trust FILE|PEM`: trusts a public key, for the user or in a project; prints its fingerprint. */
export function keysTrust(args: readonly string[], io: CliIo): ExitCode {
  // PEM text begins with dashes, as options do.
  const texts = args.filter(isPem);
  const others = args.filter((word) => !isPem(word));
  const { values, positionals } = readArguments(others, { project: { type: 'string' } });
  const given = onlyPositional('keys trust', 'public key: a file, or its PEM text', [...positionals, ...texts]);
  const key = readKey(given, io);
  const space = values.project === undefined ? userSpaceOf(io) : join(projectFolder(values.project, io), '.ai');
  const { fingerprint, file, added } = trustKey(space, key);
  io.stderr.write(`${added ? 'Trusted from now on' : 'Trusted already'}: ${printable(file)}\n`);
  io.stdout.write(`${fingerprint}\n`);
  return EXIT.completed;
}

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
