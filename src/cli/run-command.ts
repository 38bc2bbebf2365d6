import { resolve } from 'node:path';
import { readCount, readLimits, readPairs, type Read } from './arguments.ts';
import { defineCommand, type Command } from './command.ts';
import { readInspect } from './inspect-options.ts';
import { COMMON, HERE, joined, RENDERING, repeated, valued } from './options.ts';
import { onlyPositional } from './positionals.ts';
import { printEnding } from './print-ending.ts';
import { runDirective, type RunOrder } from './run-directive.ts';
import { readScripts } from './script-file.ts';

const OPTIONS = {
  ...RENDERING,
  ...COMMON,
  ...HERE,
  limits: valued('NAME=N,NAME=N', 'limits of its thread: turns, tokens, spend, spawns, depth, duration_seconds'),
  record: valued('FOLDER', 'write every request to a model and its answer there, without secrets'),
  replay: valued('FOLDER', 'answer them from there: no model is called, no key is needed'),
  inspect: joined(
    'stately',
    'here',
    'let others on this machine look into its machines; stately: with a page of stately.ai',
  ),
  'inspect-directive': repeated('NAME', 'look at threads on this directive alone, as in survey*'),
  'inspect-sample': valued('SHARE', 'look at this share of the children, as in 0.1'),
} as const;

/** `skein run DIRECTIVE`: runs a directive to its end and prints its outputs. */
export const runCommand: Command = defineCommand({
  name: 'run',
  takes: 'DIRECTIVE',
  summary: 'run a directive and wait until its thread and all below it have ended',
  options: OPTIONS,
  examples: [
    ['skein run hello --input who=Ada', 'run .ai/directives/hello.md with an input'],
    ['skein run survey --model anthropic:claude-haiku-4-5 --json | jq .outputs', 'with another model, for a script'],
    [
      'skein run hello --input who=Ada --record runs/one',
      'keep what the models said; --replay runs/one plays it again',
    ],
    ['skein run survey --limits spend=2,duration_seconds=1800', 'with more money and time than its directive says'],
    ['skein run survey --inspect=stately', "watch its state machines in Stately's inspector"],
  ],
  async run(given, io) {
    const run = await runDirective(readOrder(given, io.cwd), io);
    return printEnding(run, { json: given.values.json ?? false, io });
  },
});

function readOrder({ values, positionals }: Read<typeof OPTIONS>, cwd: string): RunOrder {
  const workers = readCount('--workers', values.workers);
  const inspect = readInspect(values);
  return {
    project: resolve(cwd, values.project ?? '.'),
    directive: onlyPositional('run', 'directive (inputs are --input NAME=VALUE)', positionals),
    inputs: readPairs('--input', values.input ?? []),
    ...(values.model !== undefined && { model: values.model }),
    ...(values.limits !== undefined && { limits: readLimits(values.limits, 'run') }),
    ...(workers !== undefined && { workers }),
    ...(values.record !== undefined && { record: resolve(cwd, values.record) }),
    ...(values.replay !== undefined && { replay: resolve(cwd, values.replay) }),
    ...(inspect && { inspect }),
    scripts: readScripts(values.script ?? [], cwd),
    scriptFiles: values.script ?? [],
  };
}
