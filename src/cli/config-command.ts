import { SkeinError } from '../index.ts';
import { configShow } from './config-show.ts';
import type { ExitCode } from './exit-code.ts';
import type { CliIo } from './io.ts';

/** `skein config show`: what is configured, and where it came from. */
export async function configCommand([name = '', ...args]: readonly string[], io: CliIo): Promise<ExitCode> {
  if (name === 'show') return configShow(args, io);
  const given = name === '' ? 'none is given' : `${JSON.stringify(name)} is none`;
  throw new SkeinError('invalid_argument', `config takes the command show; ${given} (see skein --help)`);
}
