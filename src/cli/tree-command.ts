import { resolve } from 'node:path';
import { connectProject } from '../index.ts';
import { readCount } from './arguments.ts';
import { defineCommand, type Command } from './command.ts';
import { EXIT } from './exit-code.ts';
import { resultOf } from './operation-answer.ts';
import { COMMON, valued } from './options.ts';
import { onlyPositional } from './positionals.ts';
import { printableJson } from './printable.ts';
import { readThreadTree } from './thread-tree.ts';
import { threadTreeText } from './thread-tree-text.ts';
import { writeOut } from './write-out.ts';

/** Children of a thread that are shown one by one. */
const WIDTH = 20;
/** Levels below the thread. */
const DEPTH = 10;

/** `skein tree ID`: what a thread has started, and what that has started, with states, turns and spend. */
export const treeCommand: Command = defineCommand({
  name: 'tree',
  takes: 'ID',
  summary: 'what a thread has started, level by level, with states, turns and spend',
  options: {
    depth: valued('N', `levels below it (default: ${DEPTH}); what is deeper is counted`),
    width: valued('N', `children of a thread that are shown one by one (default: ${WIDTH}); the others are counted`),
    ...COMMON,
  },
  examples: [
    ['skein tree thread-0198…', 'a fan-out: those that have not completed first, where not all are shown'],
    ['skein tree thread-0198… --depth 1 --width 1000 --json', 'its children, for a script'],
  ],
  async run({ values, positionals }, io) {
    const id = onlyPositional('tree', 'id of a thread', positionals);
    const bounds = {
      depth: readCount('--depth', values.depth) ?? DEPTH,
      width: readCount('--width', values.width) ?? WIDTH,
    };
    using connection = await connectProject({ project: resolve(io.cwd, values.project ?? '.'), env: io.env });
    const root = resultOf(await connection.orchestrator.call('get_status', { thread_id: id }));
    const tree = await readThreadTree(root, bounds, connection.orchestrator);
    const text = values.json ? printableJson(tree) : threadTreeText(tree, io.stdout);
    await writeOut(io.stdout, `${text}\n`);
    return EXIT.completed;
  },
});
