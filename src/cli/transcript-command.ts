import { resolve } from 'node:path';
import { connectProject, SkeinError } from '../index.ts';
import { readChoice, readNames } from './arguments.ts';
import { defineCommand, type Command } from './command.ts';
import { EXIT } from './exit-code.ts';
import { COMMON_LINES, TYPES, valued } from './options.ts';
import { onlyPositional } from './positionals.ts';
import { FORMATS, writeThread } from './write-thread.ts';

/** `skein transcript ID`: the whole log of a thread, as text, Markdown or JSON lines. */
export const transcriptCommand: Command = defineCommand({
  name: 'transcript',
  takes: 'ID',
  summary: 'all that is logged of a thread',
  options: {
    format: valued('text|md|jsonl', 'default: text; --json means jsonl'),
    types: TYPES,
    ...COMMON_LINES,
  },
  examples: [['skein transcript thread-0198… --format md > talk.md', 'the conversation, to be read']],
  async run({ values, positionals }, io) {
    const id = onlyPositional('transcript', 'id of a thread', positionals);
    const given = readChoice('--format', values.format, FORMATS);
    if (values.json && given !== undefined && given !== 'jsonl')
      throw new SkeinError('invalid_argument', `--json is --format jsonl, and not ${given}`);
    const format = values.json ? 'jsonl' : (given ?? 'text');
    const types = readNames(values.types);
    using connection = await connectProject({ project: resolve(io.cwd, values.project ?? '.'), env: io.env });
    await writeThread(connection, { id, format, types }, io.stdout);
    return EXIT.completed;
  },
});
