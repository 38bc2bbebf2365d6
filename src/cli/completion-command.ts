import { SkeinError } from '../index.ts';
import { readChoice } from './arguments.ts';
import { bashCompletion } from './completion-bash.ts';
import { fishCompletion } from './completion-fish.ts';
import { zshCompletion } from './completion-zsh.ts';
import { defineCommand, type Command } from './command.ts';
import { EXIT } from './exit-code.ts';
import { COMMON } from './options.ts';
import { onlyPositional } from './positionals.ts';
import { printableJson } from './printable.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

const SCRIPT_OF = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

/** `skein completion SHELL`: a script by which a shell completes commands and options. It starts nothing of ours. */
export function completionCommand(commands: () => Promise<readonly Command[]>): Command {
  return defineCommand({
    name: 'completion',
    takes: SHELLS.join('|'),
    summary: 'a script by which a shell completes commands and options',
    options: { json: COMMON.json },
    examples: [
      ['eval "$(skein completion bash)"', 'in ~/.bashrc'],
      ['skein completion zsh > ~/.zfunc/_skein', 'in a folder of fpath'],
      ['skein completion fish > ~/.config/fish/completions/skein.fish', ''],
    ],
    async run({ values, positionals }, io) {
      const shell = readChoice(
        'completion',
        onlyPositional('completion', 'shell: bash, zsh or fish', positionals),
        SHELLS,
      );
      if (shell === undefined) throw new SkeinError('internal', 'A shell was given');
      const script = SCRIPT_OF[shell](await commands());
      io.stdout.write(values.json ? `${printableJson({ shell, script })}\n` : script);
      return EXIT.completed;
    },
  });
}
