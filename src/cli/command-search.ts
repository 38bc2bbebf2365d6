import { COMMAND_TABLE } from './command-table.ts';
import type { Command } from './command.ts';
import type { CommandGroup } from './commands.ts';

const LOADERS = new Map(COMMAND_TABLE.flatMap(({ words }) => Object.entries(words)));

/** The words a command line can begin with. */
export const FIRST_WORDS: readonly string[] = [...LOADERS.keys()];

/** The command that a command line begins with, and what comes after its words. */
export async function findCommand(
  args: readonly string[],
): Promise<{ readonly command: Command; readonly rest: readonly string[] } | undefined> {
  const commands = await beginningWith(asWritten(args[0]));
  const command = commands.find(({ name }) => name.split(' ').every((word, at) => asWritten(args[at]) === word));
  return command && { command, rest: args.slice(command.name.split(' ').length) };
}

/** The commands whose name begins with a word and has more, as `item` begins three. */
export async function commandsOf(group: string): Promise<readonly Command[]> {
  return (await beginningWith(group)).filter(({ name }) => name !== group);
}

/** Every command there is. */
export async function allGroups(): Promise<readonly CommandGroup[]> {
  return (await import('./commands.ts')).COMMAND_GROUPS;
}

async function beginningWith(word: string | undefined): Promise<readonly Command[]> {
  const load = LOADERS.get(word ?? '');
  return load ? load(async () => (await allGroups()).flatMap(({ commands }) => commands)) : [];
}

/** Models write names with underscores. */
function asWritten(word: string | undefined): string | undefined {
  return word?.replaceAll('_', '-');
}
