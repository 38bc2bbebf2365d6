import { parseArgs, type ParseArgsConfig } from 'node:util';
import { SkeinError } from '../index.ts';

type Options = NonNullable<ParseArgsConfig['options']>;
type Parsed<Given extends Options> = ReturnType<
  typeof parseArgs<{ options: Given; allowPositionals: true; strict: true; args: string[] }>
>;

/**
 * Reads a command's arguments strictly.
 *
 * @param hint what to do about a word that begins with `-` and is no option
 * @throws SkeinError `invalid_argument` for what is not declared
 */
export function readArguments<const Given extends Options>(
  args: readonly string[],
  options: Given,
  hint = '',
): Parsed<Given> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    // The first sentence says what is wrong; the others are about spelling out positionals.
    const said = `${(message.split('. ')[0] ?? message).replaceAll('\n', ' ')}${hint === '' ? '' : `; ${hint}`}`;
    throw new SkeinError('invalid_argument', `${said} (see skein --help)`, { cause });
  }
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

/** Reads a whole number from 1. @throws SkeinError `invalid_argument` */
export function readCount(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new SkeinError('invalid_argument', `${option} is ${JSON.stringify(text)}; a whole number from 1 is expected`);
}

/** Reads `NAME,NAME`. */
export function readNames(text: string | undefined): string[] | undefined {
  return text?.split(',').map((each) => each.trim());
}
