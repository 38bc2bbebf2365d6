import { resolve } from 'node:path';
import { connectProject, SkeinError } from '../index.ts';
import { readArguments, readNames } from './arguments.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { CliIo } from './io.ts';
import { onlyPositional, readChoice } from './positionals.ts';
import { FORMATS, writeThread } from './write-thread.ts';

/** `skein transcript ID`: the whole log of a thread, as text, Markdown or JSON lines. */
export async function transcriptCommand(args: readonly string[], io: CliIo): Promise<ExitCode> {
  const { values, positionals } = readArguments(args, {
    format: { type: 'string' },
    types: { type: 'string' },
    project: { type: 'string' },
    json: { type: 'boolean' },
  });
  const id = onlyPositional('transcript', 'id of a thread', positionals);
  const given = readChoice('--format', values.format, FORMATS);
  if (values.json && given !== undefined && given !== 'jsonl')
    throw new SkeinError('invalid_argument', `--json is --format jsonl, and not ${given}`);
  const format = values.json ? 'jsonl' : (given ?? 'text');
  const types = readNames(values.types);
  using connection = await connectProject({ project: resolve(io.cwd, values.project ?? '.'), env: io.env });
  await writeThread(connection, { id, format, types }, io.stdout);
  return EXIT.completed;
}
