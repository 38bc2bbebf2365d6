import { approvalsDeny, approvalsGrant, approvalsList } from './approvals-command.ts';
import { cancelCommand } from './cancel-command.ts';
import { benchCommand } from './bench-command.ts';
import type { Command } from './command.ts';
import { completionCommand } from './completion-command.ts';
import { commitMessageCommand } from './commit-message.ts';
import { configShow } from './config-show.ts';
import { doctorCommand } from './doctor-command.ts';
import { exportCommand } from './export-command.ts';
import { forkCommand } from './fork-command.ts';
import { gcCommand } from './gc-command.ts';
import { itemList } from './item-list.ts';
import { itemSearch } from './item-search.ts';
import { itemShow } from './item-show.ts';
import { keysInit } from './keys-init.ts';
import { keysList } from './keys-list.ts';
import { keysTrust } from './keys-trust.ts';
import { listCommand, threadsListCommand } from './list-command.ts';
import { machineCommand } from './machine-command.ts';
import { llmServerCommand } from './llm-server-command.ts';
import { mcpCommand } from './mcp-command.ts';
import { modelsCommand } from './models-command.ts';
import { promptCommand } from './prompt-command.ts';
import { renderCommand } from './render-command.ts';
import { replayCommand } from './replay-command.ts';
import { resumeCommand } from './resume-command.ts';
import { runCommand } from './run-command.ts';
import { signCommand } from './sign-command.ts';
import { statusCommand } from './status-command.ts';
import { tailCommand } from './tail-command.ts';
import { topCommand } from './top-command.ts';
import { THREADS_COMMANDS } from './threads-command.ts';
import { transcriptCommand } from './transcript-command.ts';
import { treeCommand } from './tree-command.ts';
import { uiCommand } from './ui-command.ts';
import { verifyCommand } from './verify-command.ts';

/** Commands that belong together, as help shows them. */
export type CommandGroup = {
  readonly title: string;
  readonly commands: readonly Command[];
  /** Only by their names. */
  readonly inBrief?: boolean;
};

/** Every command there is: dispatch, help and completion are made of this table. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  { title: 'Run', commands: [runCommand, promptCommand, renderCommand, commitMessageCommand] },
  {
    title: 'Look',
    commands: [
      topCommand,
      statusCommand,
      listCommand,
      treeCommand,
      tailCommand,
      transcriptCommand,
      exportCommand,
      replayCommand,
      machineCommand,
    ],
  },
  {
    title: 'Act',
    commands: [cancelCommand, resumeCommand, forkCommand, approvalsList, approvalsGrant, approvalsDeny],
  },
  {
    title: 'Items',
    commands: [itemList, itemShow, itemSearch, signCommand, verifyCommand, keysInit, keysList, keysTrust],
  },
  {
    title: 'Set up and look after',
    commands: [configShow, modelsCommand, doctorCommand, gcCommand, benchCommand, completionCommand(() => COMMANDS)],
  },
  { title: 'Serve', commands: [uiCommand, mcpCommand, llmServerCommand] },
  {
    title: 'Operations on threads, by the names that models have',
    commands: [threadsListCommand, ...THREADS_COMMANDS],
    inBrief: true,
  },
];

/** The commands of all groups. */
export const COMMANDS: readonly Command[] = COMMAND_GROUPS.flatMap(({ commands }) => commands);

/** The command that a command line begins with, and what comes after its words. */
export function findCommand(
  args: readonly string[],
): { readonly command: Command; readonly rest: readonly string[] } | undefined {
  const command = COMMANDS.find(({ name }) => name.split(' ').every((word, at) => asWritten(args[at]) === word));
  return command && { command, rest: args.slice(command.name.split(' ').length) };
}

/** Models write names with underscores. */
function asWritten(word: string | undefined): string | undefined {
  return word?.replaceAll('_', '-');
}

/** The commands whose name begins with a word, as `item` begins three. */
export function commandsOf(group: string): readonly Command[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${group} `));
}

/** The words a command line can begin with. */
export function firstWords(): readonly string[] {
  return [...new Set(COMMANDS.map(({ name }) => name.split(' ')[0] ?? name))];
}
