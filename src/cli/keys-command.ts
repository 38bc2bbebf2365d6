import { SkeinError } from '../index.ts';
import type { ExitCode } from './exit-code.ts';
import type { CliIo } from './io.ts';
import { keysInit } from './keys-init.ts';
import { keysList } from './keys-list.ts';
import { keysTrust } from './keys-trust.ts';

const COMMANDS = new Map([
  ['init', keysInit],
  ['list', keysList],
  ['trust', keysTrust],
]);

/** `skein keys init|list|trust`: the keys that sign items, and those that are trusted. */
export async function keysCommand([name = '', ...args]: readonly string[], io: CliIo): Promise<ExitCode> {
  const command = COMMANDS.get(name);
  if (command !== undefined) return command(args, io);
  const given = name === '' ? 'none is given' : `${JSON.stringify(name)} is none`;
  const known = [...COMMANDS.keys()].join(', ');
  throw new SkeinError('invalid_argument', `keys takes one of the commands ${known}; ${given} (see skein --help)`);
}
