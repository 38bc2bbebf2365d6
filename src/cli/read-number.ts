import { SkeinError } from '../index.ts';
import { readPairs } from './arguments.ts';
import { printable } from './printable.ts';

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
