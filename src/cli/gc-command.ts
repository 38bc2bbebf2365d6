import { resolve } from 'node:path';
import { collectGarbage, describeFailure } from '../index.ts';
import { defineCommand, type Command } from './command.ts';
import { EXIT } from './exit-code.ts';
import { formatBytes, plural } from './format.ts';
import { COMMON } from './options.ts';
import { noPositionals } from './positionals.ts';
import { printable, printableJson } from './printable.ts';

/** `skein gc`: archives what ended long ago, gives free space back, and says how much that was. */
export const gcCommand: Command = defineCommand({
  name: 'gc',
  takes: '',
  summary: 'archive what ended long ago, as cleanup says, and give free space back',
  options: COMMON,
  examples: [['skein gc', 'tidy up now; a runtime does so by itself when it is idle']],
  async run({ values, positionals }, io) {
    noPositionals('gc', positionals);
    const { archived, freedBytes } = await collectGarbage({
      project: resolve(io.cwd, values.project ?? '.'),
      env: io.env,
      onProblem: (failure) => io.stderr.write(`skein: ${printable(describeFailure(failure))}\n`),
    });
    io.stdout.write(
      values.json
        ? `${printableJson({ archived, freed_bytes: freedBytes })}\n`
        : `Archived: ${plural(archived, 'thread')}\nFreed: ${formatBytes(freedBytes)}\n`,
    );
    return EXIT.completed;
  },
});
