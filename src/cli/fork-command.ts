import { resolve } from 'node:path';
import { SkeinError } from '../index.ts';
import { readCount, readPairs } from './arguments.ts';
import { defineCommand, type Command } from './command.ts';
import { COMMON, HERE, RENDERING, valued } from './options.ts';
import { onlyPositional } from './positionals.ts';
import { readSequence } from './replay-command.ts';
import { readScripts } from './script-file.ts';
import { operate, THREADS_HERE } from './threads-command.ts';

/**
 * `skein fork ID --at SEQ`: begins another thread with what a thread had said and heard up to an event, in the runtime that
 * holds the project, or in one of its own that waits for it.
 */
export const forkCommand: Command = defineCommand({
  name: 'fork',
  takes: 'ID --at SEQ',
  summary: 'begin another thread with what a thread had said and heard up to an event',
  options: {
    at: valued('SEQ', 'the last event that counts'),
    input: { ...RENDERING.input, about: "an input that is another one than the thread's; once for each" },
    ...COMMON,
    ...HERE,
  },
  examples: [['skein fork thread-0198… --at 12 --input who=Bob', 'go on from event 12, with another input']],
  notes: THREADS_HERE,
  async run({ values, positionals }, io) {
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
      scriptFiles: script,
    } as const;
    return operate(order, io);
  },
});
