import { parseArgs } from 'node:util';
import { messageOf } from '../core/errors.ts';
import { SkeinError } from '../index.ts';
import { nearest } from '../core/nearest.ts';
import type { Options } from './options.ts';
import { printable } from './printable.ts';

/** What was given of a command's options, and the words beside them. */
export type Read<Given extends Options> = Pick<
  ReturnType<typeof parseArgs<{ options: Given; allowPositionals: true; strict: true; args: string[] }>>,
  'values' | 'positionals'
>;

/** Whose arguments are read; `hint`: what to do about a word that begins with `-` and is no option. */
type Reader<Given extends Options> = { readonly name?: string; readonly options: Given; readonly hint?: string };

/**
 * Reads a command's arguments strictly.
 *
 * @throws SkeinError `invalid_argument` for what is not declared
 */
export function readArguments<const Given extends Options>(
  args: readonly string[],
  { name, options, hint = '' }: Reader<Given>,
): Read<Given> {
  try {
    return parseArgs({ args: spelledOut(args, options), options, allowPositionals: true, strict: true });
  } catch (cause) {
    const message = messageOf(cause);
    // The first sentence says what is wrong; the others are about spelling out positionals.
    const said = (message.split('. ')[0] ?? message).replaceAll('\n', ' ');
    const meant = /^Unknown option '(-[^']*)'/.exec(message)?.[1];
    const near = meant === undefined ? undefined : nearest(meant, namesOf(options));
    const known = `${name === undefined ? 'it' : `skein ${name}`} takes ${namesOf(options).join(', ')}`;
    const help = near === undefined ? known : `did you mean ${near}?`;
    const more = [...(meant === undefined ? [] : [help]), ...(hint === '' ? [] : [hint])];
    throw new SkeinError(
      'invalid_argument',
      `${[said, ...more].join('; ')}${name === undefined ? '' : ` (see skein ${name} --help)`}`,
      { cause },
    );
  }
}

/** Gives options without a value the one that they have then; what stands behind `--` is no option. */
function spelledOut(args: readonly string[], options: Options): string[] {
  const end = args.indexOf('--');
  return args.map((arg, at) => {
    const bare = end === -1 || at < end ? options[arg.slice(2)]?.bare : undefined;
    return bare !== undefined && arg.startsWith('--') ? `${arg}=${bare}` : arg;
  });
}

function namesOf(options: Options): readonly string[] {
  return [...Object.keys(options), 'help'].map((option) => `--${option}`);
}

/** Reads `NAME=VALUE` pairs. @throws SkeinError `invalid_argument` for a pair without name or `=`, or a name twice */
export function readPairs(option: string, pairs: readonly string[]): Readonly<Record<string, string>> {
  const read = new Map<string, string>();
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, at));
    if (name === '')
      throw new SkeinError('invalid_argument', `${option} ${JSON.stringify(pair)}: NAME=VALUE is expected`);
    if (read.has(name)) throw new SkeinError('invalid_argument', `${option} ${JSON.stringify(name)} is given twice`);
    read.set(name, pair.slice(at + 1));
  }
  return Object.fromEntries(read);
}

/** Reads a whole number from 1, of at most so many digits. @throws SkeinError `invalid_argument` */
export function readCount(option: string, text: string | undefined, digits: number = 6): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d*$/.test(text) && text.length <= digits) return Number(text);
  throw new SkeinError('invalid_argument', `${option} is ${JSON.stringify(text)}; a whole number from 1 is expected`);
}

/** Reads `NAME,NAME`. */
export function readNames(text: string | undefined): string[] | undefined {
  return text?.split(',').map((each) => each.trim());
}

/** Reads an option that is one of some words. @throws SkeinError `invalid_argument` naming them */
export function readChoice<const Choice extends string>(
  option: string,
  text: string | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  const choice = choices.find((each) => each === text);
  if (text === undefined || choice !== undefined) return choice;
  const message = `${option} is ${JSON.stringify(text)}; one of ${choices.join(', ')} is expected`;
  throw new SkeinError('invalid_argument', message);
}

/** Reads a number of any kind. @throws SkeinError `invalid_argument` */
export function readNumber(what: string, text: string, command: string): number {
  // The empty text would be 0.
  const number = Number(text.trim() || Number.NaN);
  if (!Number.isNaN(number)) return number;
  const given = printable(JSON.stringify(text));
  throw new SkeinError('invalid_argument', `${what} is ${given}; a number is expected (see skein ${command} --help)`);
}

/** Reads limits, as in `turns=50,spend=2`; which there are, the runtime knows. @throws SkeinError `invalid_argument` */
export function readLimits(text: string, command: string): Readonly<Record<string, number>> {
  const pairs = Object.entries(readPairs('--limits', text.split(',')));
  return Object.fromEntries(
    pairs.map(([key, value]) => [key.trim(), readNumber(`--limits ${key.trim()}`, value, command)]),
  );
}
