import type { Command } from './command.ts';
import { operationCommand } from './threads-command.ts';

/** `skein list`: threads, newest first. */
export const listCommand: Command = operationCommand('list_threads', {
  name: 'list',
  examples: [
    ['skein list --status suspended,error', 'what waits for somebody'],
    ['skein list --json | jq -r .threads[0].thread_id', 'the id of the newest'],
  ],
});

/** The same by another name. */
export const threadsListCommand: Command = operationCommand('list_threads', { name: 'threads list' });
