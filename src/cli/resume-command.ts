import type { Command } from './command.ts';
import { operationCommand } from './threads-command.ts';

/** `skein resume ID`: goes on with a thread. */
export const resumeCommand: Command = operationCommand('resume_thread', {
  name: 'resume',
  summary: 'go on with a suspended thread, or after one that has ended',
  examples: [
    ["skein resume thread-0198… --message 'be brief' --limits turns=50,spend=2", 'say something, and give it more'],
  ],
});
