import type { Command } from './command.ts';
import { COMMAND_TABLE } from './command-table.ts';

/** Commands that belong together, as help shows them. */
export type CommandGroup = {
  readonly title: string;
  readonly commands: readonly Command[];
  /** Only by their names. */
  readonly inBrief?: boolean;
};

/** Every command there is, loaded: help and completion are made of this. */
export const COMMAND_GROUPS: readonly CommandGroup[] = await Promise.all(
  COMMAND_TABLE.map(async ({ words, ...group }) => {
    const loaded = await Promise.all(Object.values(words).map((load) => load(async () => COMMANDS)));
    return { ...group, commands: loaded.flat() };
  }),
);

/** The commands of all groups. */
export const COMMANDS: readonly Command[] = COMMAND_GROUPS.flatMap(({ commands }) => commands);
