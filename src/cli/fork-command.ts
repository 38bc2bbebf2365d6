import { resolve } from 'node:path';
import { SkeinError } from '../index.ts';
import { readArguments, readCount, readPairs } from './arguments.ts';
import type { ExitCode } from './exit-code.ts';
import type { CliIo } from './io.ts';
import { onlyPositional } from './positionals.ts';
import { readSequence } from './replay-command.ts';
import { readScripts } from './script-file.ts';
import { operate } from './threads-command.ts';

/**
 * `skein fork ID --at SEQ`: begins another thread with what a thread had said and heard up to an event, in the runtime that
 * holds the project, or in one of its own that waits for it.
 */
export async function forkCommand(args: readonly string[], io: CliIo): Promise<ExitCode> {
  const { values, positionals } = readArguments(args, {
    at: { type: 'string' },
    input: { type: 'string', multiple: true },
    project: { type: 'string' },
    script: { type: 'string', multiple: true },
    workers: { type: 'string' },
    json: { type: 'boolean' },
  });
  const { at, input = [], project = '.', script = [], workers, json = false } = values;
  const id = onlyPositional('fork', 'thread', positionals);
  if (at === undefined) throw new SkeinError('invalid_argument', 'fork takes --at SEQ, the last event that counts');
  const order = {
    name: 'fork_thread',
    input: { thread_id: id, at: readSequence('--at', at), inputs: readPairs('--input', input) },
    project: resolve(io.cwd, project),
    json,
    workers: readCount('--workers', workers),
    scripts: readScripts(script, io.cwd),
  } as const;
  return operate(order, io);
}
