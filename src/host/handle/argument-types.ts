import { SkeinError } from '../../core/errors.ts';

/*
 * Callers without types may pass anything, and what is found only further inside is told as a failure of the part that
 * stumbled over it, or of a worker.
 */

/** @throws SkeinError `invalid_argument` with what was asked for and what came */
export function checkText(what: string, given: unknown): void {
  if (typeof given !== 'string') throw refusedArgument(what, 'a text', given);
}

/** Ids of threads; whether there are such threads is another matter. @throws SkeinError `invalid_argument` */
export function checkThreadIds(call: string, given: unknown): void {
  if (!Array.isArray(given)) throw refusedArgument(`What ${call} waits for`, 'a list of thread ids', given);
  // A hole in the list is found, too.
  const at = given.findIndex((id) => typeof id !== 'string');
  if (at >= 0) throw refusedArgument(`Thread id ${at} of ${call}`, 'a text', given[at]);
}

/** A length of time: undefined where it may be left out, below 0 if it is over. @throws SkeinError `invalid_argument` */
export function checkMilliseconds(what: string, given: unknown): void {
  if (given === undefined || (typeof given === 'number' && !Number.isNaN(given))) return;
  throw refusedArgument(what, 'a number of milliseconds', given);
}

/** How many of something. @throws SkeinError `invalid_argument` */
export function checkCount(what: string, given: unknown, most: number): void {
  if (Number.isInteger(given) && Number(given) >= 1 && Number(given) <= most) return;
  throw refusedArgument(what, `a whole number from 1 to ${most}`, given);
}

/** A choice; undefined where it may be left out. @throws SkeinError `invalid_argument` */
export function checkChoice(what: string, given: unknown): void {
  if (given !== undefined && typeof given !== 'boolean') throw refusedArgument(what, 'true or false', given);
}

/** Something to call. @throws SkeinError `invalid_argument` */
export function checkFunction(what: string, given: unknown): void {
  if (typeof given !== 'function') throw refusedArgument(what, 'a function', given);
}

/** The error for an argument that is something else. */
export function refusedArgument(what: string, expected: string, given: unknown): SkeinError {
  return refusedAs(what, expected, shown(given));
}

/** The same where its type does not say what it is. */
export function refusedAs(what: string, expected: string, as: string): SkeinError {
  return new SkeinError('invalid_argument', `${what} is ${expected}, not ${as}`);
}

/** Numbers and choices as they are; of anything else what it is, since it may be long, or a secret. */
function shown(given: unknown): string {
  switch (typeof given) {
    case 'number':
    case 'boolean':
    case 'undefined':
      return String(given);
    case 'object':
      if (given === null) return 'null';
      return Array.isArray(given) ? 'a list' : 'an object';
    default:
      return `a ${typeof given}`;
  }
}
