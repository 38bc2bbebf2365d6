import { resolve } from 'node:path';
import { describeFailure, previewPrompt } from '../index.ts';
import { readPairs } from './arguments.ts';
import { defineCommand, type Command } from './command.ts';
import { EXIT } from './exit-code.ts';
import { COMMON, HERE, RENDERING } from './options.ts';
import { onlyPositional } from './positionals.ts';
import { printable, printableJson } from './printable.ts';
import { promptJson } from './prompt-json.ts';
import { promptView } from './prompt-view.ts';
import { readScripts } from './script-file.ts';

/** `skein prompt DIRECTIVE`: shows what a thread would send with its first call, and sends nothing. */
export const promptCommand: Command = defineCommand({
  name: 'prompt',
  takes: 'DIRECTIVE',
  summary: 'the messages and tools a thread would send, and where each part is from; sends nothing',
  options: { ...RENDERING, ...COMMON, script: HERE.script },
  examples: [['skein prompt hello --input who=Ada', 'what its model would be told']],
  async run({ values, positionals }, io) {
    const preview = await previewPrompt(
      onlyPositional('prompt', 'directive (inputs are --input NAME=VALUE)', positionals),
      readPairs('--input', values.input ?? []),
      {
        project: resolve(io.cwd, values.project ?? '.'),
        env: io.env,
        scripts: readScripts(values.script ?? [], io.cwd),
        ...(values.model !== undefined && { model: values.model }),
        onProblem: (failure) => io.stderr.write(`warning: ${printable(describeFailure(failure))}\n`),
      },
    );
    io.stdout.write(values.json ? `${printableJson(promptJson(preview))}\n` : promptView(preview));
    return EXIT.completed;
  },
});
