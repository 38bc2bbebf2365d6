/** A program and its arguments. */
export type Command = { readonly command: string; readonly args: readonly string[] };

/**
 * Puts a command under a memory limit; 0 = none. A shell sets the limit for each process of the group and is then replaced
 * by the program: same pid, same pipes. The words are the shell's arguments, never part of its script. Windows has no limit.
 */
export function withMemoryLimit({ command, args }: Command, limitMb: number): Command {
  if (limitMb === 0 || process.platform === 'win32') return { command, args };
  const script = 'ulimit -d "$0" 2>/dev/null; exec "$@"';
  return { command: '/bin/sh', args: ['-c', script, `${limitMb * 1024}`, command, ...args] };
}
