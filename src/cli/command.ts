import { printable } from './printable.ts';
import { readArguments, type Read } from './arguments.ts';
import type { ExitCode } from './exit-code.ts';
import type { CliIo } from './io.ts';
import type { Options } from './options.ts';

/** A command line, and what it does. */
export type Example = readonly [line: string, does: string];

/** A command: what dispatch, help and completion know of it. */
export type Command = {
  /** Its words, as in `item list`. */
  readonly name: string;
  /** What it takes beside options, as in `ID...`; empty: nothing. */
  readonly takes: string;
  /** The words that it takes, where `takes` does not spell them out and there are no others. */
  readonly words?: readonly string[];
  /** One line, without a full stop. */
  readonly summary: string;
  readonly options: Options;
  readonly examples: readonly Example[];
  /** What is to be known beside that. */
  readonly notes?: string;
  /** @throws SkeinError `invalid_argument` for what is not understood, and whatever the command refuses */
  readonly run: (args: readonly string[], io: CliIo) => ExitCode | Promise<ExitCode>;
};

type Definition<Given extends Options> = Omit<Command, 'run' | 'options'> & {
  readonly options: Given;
  /** What to do about a word that begins with `-` and is no option. */
  readonly hint?: string;
  /** Whether a word is taken as it is, whatever it begins with. */
  readonly isWord?: (arg: string) => boolean;
  readonly run: (given: Read<Given>, io: CliIo) => ExitCode | Promise<ExitCode>;
};

/** Makes a command whose arguments are read by its options before it runs. */
export function defineCommand<const Given extends Options>(definition: Definition<Given>): Command {
  const { run, isWord = () => false, hint = '', ...facts } = definition;
  return {
    ...facts,
    run(args, io) {
      const words = args.filter(isWord);
      const others = args.filter((arg) => !isWord(arg));
      const { values, positionals } = readArguments(others, { ...facts, hint });
      return run({ values, positionals: [...positionals, ...words] }, io);
    },
  };
}

/** How a command is written, as in `skein item show ID|FILE [options]`. */
export function usageOf({ name, takes }: Pick<Command, 'name' | 'takes'>): string {
  return `skein ${name}${takes === '' ? '' : ` ${takes}`} [options]`;
}

/** A word of a command line as a message names it. */
export function quoted(word: string): string {
  return printable(JSON.stringify(word));
}
