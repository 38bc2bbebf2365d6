import type { ExitCode } from './exit-code.ts';
import type { CliIo } from './io.ts';
import { threadsCommand } from './threads-command.ts';

/** `skein list`: threads, newest first. */
export function listCommand(args: readonly string[], io: CliIo): Promise<ExitCode> {
  return threadsCommand(['list-threads', ...args], io);
}
