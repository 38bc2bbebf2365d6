import { resolve } from 'node:path';
import { connectProject, SkeinError, type ProjectConnection } from '../index.ts';
import { readChoice } from './arguments.ts';
import { defineCommand, type Command } from './command.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { resultOf } from './operation-answer.ts';
import { COMMON_LINES, flag, valued } from './options.ts';
import { printable } from './printable.ts';
import { writeThread } from './write-thread.ts';

/** `skein export ID...|--all`: threads with all that is logged of them, one after the other. */
export const exportCommand: Command = defineCommand({
  name: 'export',
  takes: 'ID...|--all',
  summary: 'threads with their records and all that is logged of them',
  options: {
    ...COMMON_LINES,
    all: flag('every thread, archived ones as well, newest first'),
    format: valued('jsonl|md', 'default: jsonl, which --json means as well'),
  },
  examples: [['skein export --all > threads.jsonl', 'everything, an object a line']],
  async run({ values, positionals }, io) {
    const { all = false, project = '.' } = values;
    if (all === positionals.length > 0)
      throw new SkeinError('invalid_argument', 'export takes either ids of threads or --all (see skein export --help)');
    const given = readChoice('--format', values.format, ['jsonl', 'md']);
    if (values.json && given === 'md') throw new SkeinError('invalid_argument', '--json is --format jsonl, and not md');
    using connection = await connectProject({ project: resolve(io.cwd, project), env: io.env });
    // Before anything is written: half of what was asked for is no refusal.
    for (const id of positionals) resultOf(await connection.orchestrator.call('get_status', { thread_id: id }));
    let code: ExitCode = EXIT.completed;
    for await (const id of all ? allThreads(connection) : positionals) {
      try {
        await writeThread(connection, { id, format: given ?? 'jsonl', withRecord: true }, io.stdout);
      } catch (thrown) {
        // A thread that is damaged keeps nobody from the others.
        if (!(thrown instanceof SkeinError && thrown.code === 'store_corrupt')) throw thrown;
        code = EXIT.failed;
        io.stderr.write(`skein: ${printable(id)}: ${printable(thrown.message)}\n`);
      }
    }
    return code;
  },
});

const PAGE = 200;

/** Archived ones as well, newest first. */
async function* allThreads({ orchestrator }: ProjectConnection): AsyncGenerator<string, void> {
  for (let after: string | undefined, more = true; more;) {
    const page = resultOf(await orchestrator.call('list_threads', { limit: PAGE, after, archived: true }));
    for (const { thread_id: id } of page.threads) yield id;
    ({ next: after, more } = page);
  }
}
