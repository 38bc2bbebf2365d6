import type { ExitCode } from './exit-code.ts';
import type { CliIo } from './io.ts';
import { threadsCommand } from './threads-command.ts';

/** `skein resume ID`: goes on with a thread. */
export function resumeCommand(args: readonly string[], io: CliIo): Promise<ExitCode> {
  return threadsCommand(['resume-thread', ...args], io);
}
