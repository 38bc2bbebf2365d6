import type { ExitCode } from './exit-code.ts';
import type { CliIo } from './io.ts';
import { threadsCommand } from './threads-command.ts';

/** `skein cancel ID`: ends a thread, and those below it as the child policy says; with `--tree` all of them. */
export function cancelCommand(args: readonly string[], io: CliIo): Promise<ExitCode> {
  const isTree = args.includes('--tree');
  const others = args.filter((arg) => arg !== '--tree');
  return threadsCommand([isTree ? 'kill-thread' : 'cancel-thread', ...others], io);
}
