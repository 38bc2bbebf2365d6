import { SkeinError } from '../index.ts';
import { quoted, type Command } from './command.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { allGroups, commandsOf, findCommand, FIRST_WORDS } from './command-search.ts';
import { commandHelp, groupHelp, helpJson, mainHelp } from './help.ts';
import type { CliIo } from './io.ts';
import { COMMON } from './options.ts';
import { nearest } from '../core/nearest.ts';
import { printableJson } from './printable.ts';
import { wantsJson } from './wants-json.ts';

/**
 * Carries out a command line, without the program's own name.
 *
 * @throws SkeinError `invalid_argument` for what is not understood, and whatever the command refuses
 */
export async function dispatch(args: readonly string[], io: CliIo): Promise<ExitCode> {
  const [first] = args;
  if (first === 'help') return help(args.slice(1), io);
  const found = await findCommand(args);
  if (asksForHelp(found?.rest ?? args)) return help(args, io);
  if (found) return found.command.run(found.rest, io);
  if (first === '--version' || first === '-V') return version(args, io);
  throw await notFound(args);
}

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  return options.includes('--help') || options.includes('-h');
}

/** Columns of help where no terminal has its own. */
const COLUMNS = 100;

/** Help for the command or the group that words name; for everything without one. */
async function help(args: readonly string[], io: CliIo): Promise<ExitCode> {
  const words = args.filter((arg) => !arg.startsWith('-'));
  const columns = Math.max(30, io.stdout.columns || COLUMNS);
  const tell = (shown: readonly Command[], text: () => string): ExitCode =>
    print(wantsJson(args) ? `${printableJson(helpJson(shown))}\n` : text(), io);
  if (words.length === 0) {
    const groups = await allGroups();
    return tell(
      groups.flatMap(({ commands }) => commands),
      () => mainHelp(groups, columns),
    );
  }
  const command = (await findCommand(words))?.command;
  if (command) return tell([command], () => commandHelp(command, columns));
  const group = await commandsOf(words[0] ?? '');
  if (group.length === 0) throw await notFound(words);
  return tell(group, () => groupHelp(group, columns));
}

async function version(args: readonly string[], io: CliIo): Promise<ExitCode> {
  const { packageVersion } = await import('../core/package-version.ts');
  return print(wantsJson(args) ? `${printableJson({ version: packageVersion() })}\n` : `${packageVersion()}\n`, io);
}

async function notFound(args: readonly string[]): Promise<SkeinError> {
  const [first, second] = args;
  const group = (await commandsOf(first ?? '')).map(({ name }) => name.slice((first ?? '').length + 1));
  if (first !== undefined && group.length > 0) {
    const given = second === undefined || second.startsWith('-') ? 'none is given' : unknown('', second, group);
    return new SkeinError(
      'invalid_argument',
      `${first} takes one of the commands ${group.join(', ')}; ${given} (see skein ${first} --help)`,
    );
  }
  const known = `the commands are: ${FIRST_WORDS.join(', ')} (see skein --help)`;
  if (first === undefined) return new SkeinError('invalid_argument', `No command is given; ${known}`);
  const placed = await wellPlaced(args);
  if (placed !== undefined) {
    const message = `Options stand behind the command, as in ${placed}; ${quoted(first)} stands before it (see skein --help)`;
    return new SkeinError('invalid_argument', message);
  }
  if (Object.hasOwn(COMMON, optionIn(first) ?? '')) {
    return new SkeinError('invalid_argument', `No command is given before ${quoted(first)}; ${known}`);
  }
  const what = first.startsWith('-') ? 'option ' : 'command ';
  const words = first.startsWith('-') ? ['--help', '--version'] : FIRST_WORDS;
  return new SkeinError('invalid_argument', `There is no ${unknown(what, first, words)}; ${known}`);
}

/** A command line that begins with an option of the command behind it, as it should be. */
async function wellPlaced([first = '', ...behind]: readonly string[]): Promise<string | undefined> {
  const option = optionIn(first);
  if (option === undefined) return undefined;
  const found = await Promise.all(behind.map((_, at) => findCommand(behind.slice(at))));
  const meant = found.find((one) => one && Object.hasOwn(one.command.options, option))?.command;
  return meant && `skein ${meant.name} --${option}`;
}

function optionIn(word: string): string | undefined {
  return /^--([^=]+)/.exec(word)?.[1];
}

function unknown(what: string, word: string, words: readonly string[]): string {
  const near = nearest(word, words);
  return `${what}${quoted(word)}${what === '' ? ' is none' : ''}${near === undefined ? '' : `; did you mean ${near}?`}`;
}

function print(text: string, io: CliIo): ExitCode {
  io.stdout.write(text);
  return EXIT.completed;
}
