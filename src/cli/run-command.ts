import { resolve } from 'node:path';
import { SkeinError } from '../index.ts';
import { readArguments, readCount, readPairs } from './arguments.ts';
import type { ExitCode } from './exit-code.ts';
import type { CliIo } from './io.ts';
import { printEnding } from './print-ending.ts';
import { runDirective, type RunOrder } from './run-directive.ts';
import { readScripts } from './script-file.ts';

/** `skein run DIRECTIVE`: runs a directive to its end and prints its outputs. */
export async function runCommand(args: readonly string[], io: CliIo): Promise<ExitCode> {
  const { order, json } = readOrder(args, io.cwd);
  const run = await runDirective(order, io);
  return printEnding(run, { json, io });
}

function readOrder(args: readonly string[], cwd: string): { readonly order: RunOrder; readonly json: boolean } {
  const { values, positionals } = readArguments(args, {
    input: { type: 'string', multiple: true },
    model: { type: 'string' },
    project: { type: 'string' },
    script: { type: 'string', multiple: true },
    workers: { type: 'string' },
    record: { type: 'string' },
    replay: { type: 'string' },
    json: { type: 'boolean' },
  });
  const workers = readCount('--workers', values.workers);
  const order = {
    project: resolve(cwd, values.project ?? '.'),
    directive: onlyDirective(positionals),
    inputs: readPairs('--input', values.input ?? []),
    ...(values.model !== undefined && { model: values.model }),
    ...(workers !== undefined && { workers }),
    ...(values.record !== undefined && { record: resolve(cwd, values.record) }),
    ...(values.replay !== undefined && { replay: resolve(cwd, values.replay) }),
    scripts: readScripts(values.script ?? [], cwd),
  };
  return { order, json: values.json ?? false };
}

function onlyDirective([directive, ...more]: readonly string[]): string {
  if (directive !== undefined && more.length === 0) return directive;
  const given = directive === undefined ? 'none' : [directive, ...more].map((word) => JSON.stringify(word)).join(', ');
  throw new SkeinError('invalid_argument', `run takes one directive; given: ${given} (inputs are --input NAME=VALUE)`);
}
