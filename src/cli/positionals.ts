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
