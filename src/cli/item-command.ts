import { SkeinError } from '../index.ts';
import type { ExitCode } from './exit-code.ts';
import type { CliIo } from './io.ts';
import { itemList } from './item-list.ts';
import { itemSearch } from './item-search.ts';
import { itemShow } from './item-show.ts';

const COMMANDS = new Map<string, (args: readonly string[], io: CliIo) => ExitCode | Promise<ExitCode>>([
  ['list', itemList],
  ['show', itemShow],
  ['search', itemSearch],
]);

/** `skein item list|show|search`: what there is in the spaces of a project, and what was read of it. */
export async function itemCommand([name = '', ...args]: readonly string[], io: CliIo): Promise<ExitCode> {
  const command = COMMANDS.get(name);
  if (command !== undefined) return command(args, io);
  const given = name === '' ? 'none is given' : `${JSON.stringify(name)} is none`;
  const known = [...COMMANDS.keys()].join(', ');
  throw new SkeinError('invalid_argument', `item takes one of the commands ${known}; ${given} (see skein --help)`);
}
