import { resolve } from 'node:path';
import { collectGarbage, describeFailure } from '../index.ts';
import { readArguments } from './arguments.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { formatBytes, formatCount } from './format.ts';
import type { CliIo } from './io.ts';
import { noPositionals } from './positionals.ts';
import { printable, printableJson } from './printable.ts';

/** `skein gc`: archives what ended long ago, gives free space back, and says how much that was. */
export async function gcCommand(args: readonly string[], io: CliIo): Promise<ExitCode> {
  const { values, positionals } = readArguments(args, { project: { type: 'string' }, json: { type: 'boolean' } });
  noPositionals('gc', positionals);
  const { archived, freedBytes } = await collectGarbage({
    project: resolve(io.cwd, values.project ?? '.'),
    env: io.env,
    onProblem: (failure) => io.stderr.write(`skein: ${printable(describeFailure(failure))}\n`),
  });
  io.stdout.write(
    values.json
      ? `${printableJson({ archived, freed_bytes: freedBytes })}\n`
      : `Archived: ${formatCount(archived)} thread${archived === 1 ? '' : 's'}\nFreed: ${formatBytes(freedBytes)}\n`,
  );
  return EXIT.completed;
}
