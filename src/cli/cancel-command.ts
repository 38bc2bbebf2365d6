import { defineCommand, type Command } from './command.ts';
import { flag } from './options.ts';
import { optionsOf, readThreadsOrder } from './threads-arguments.ts';
import { operate, THREADS_HERE } from './threads-command.ts';

/** `skein cancel ID`: ends a thread, and those below it as the child policy says; with `--tree` all of them. */
export const cancelCommand: Command = defineCommand({
  name: 'cancel',
  takes: 'ID',
  summary: 'end a thread, and those below it as the child policy says',
  options: { tree: flag('end all below it, whatever the child policy says'), ...optionsOf('cancel_thread') },
  examples: [['skein cancel thread-0198… --tree', 'stop a whole fan-out']],
  notes: THREADS_HERE,
  run({ values: { tree, ...values }, positionals }, io) {
    const name = tree === true ? 'kill_thread' : 'cancel_thread';
    return operate(readThreadsOrder(name, { values, positionals }, { command: 'cancel', cwd: io.cwd }), io);
  },
});
