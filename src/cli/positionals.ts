import { SkeinError } from '../index.ts';
import { quoted } from './command.ts';

/** Refuses words that a command has no use for, and may say what has. @throws SkeinError `invalid_argument` */
export function noPositionals(command: string, positionals: readonly string[], instead?: string): void {
  const [first] = positionals;
  if (first === undefined) return;
  const hint = instead === undefined ? '' : ` (${instead})`;
  throw new SkeinError('invalid_argument', `${command} takes options only; given: ${quoted(first)}${hint}`);
}

/** The one word a command takes. @throws SkeinError `invalid_argument` for none or several */
export function onlyPositional(command: string, what: string, positionals: readonly string[]): string {
  const [first, ...more] = positionals;
  if (first !== undefined && more.length === 0) return first;
  const given = first === undefined ? 'none' : positionals.map(quoted).join(', ');
  throw new SkeinError('invalid_argument', `${command} takes one ${what}; given: ${given}`);
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
