import { resolve } from 'node:path';
import { describeFailure, previewPrompt, SkeinError } from '../index.ts';
import { readArguments, readPairs } from './arguments.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { CliIo } from './io.ts';
import { printable, printableJson } from './printable.ts';
import { promptJson } from './prompt-json.ts';
import { promptView } from './prompt-view.ts';
import { readScripts } from './script-file.ts';

/** `skein prompt DIRECTIVE`: shows what a thread would send with its first call, and sends nothing. */
export async function promptCommand(args: readonly string[], io: CliIo): Promise<ExitCode> {
  const { values, positionals } = readArguments(args, {
    input: { type: 'string', multiple: true },
    model: { type: 'string' },
    project: { type: 'string' },
    script: { type: 'string', multiple: true },
    json: { type: 'boolean' },
  });
  const preview = await previewPrompt(onlyDirective(positionals), readPairs('--input', values.input ?? []), {
    project: resolve(io.cwd, values.project ?? '.'),
    env: io.env,
    scripts: readScripts(values.script ?? [], io.cwd),
    ...(values.model !== undefined && { model: values.model }),
    onProblem: (failure) => io.stderr.write(`warning: ${printable(describeFailure(failure))}\n`),
  });
  io.stdout.write(values.json ? `${printableJson(promptJson(preview))}\n` : promptView(preview));
  return EXIT.completed;
}

function onlyDirective([directive, ...more]: readonly string[]): string {
  if (directive !== undefined && more.length === 0) return directive;
  const given = directive === undefined ? 'none' : [directive, ...more].map((word) => JSON.stringify(word)).join(', ');
  throw new SkeinError(
    'invalid_argument',
    `prompt takes one directive; given: ${given} (inputs are --input NAME=VALUE)`,
  );
}
