import { SkeinError } from '../../core/errors.ts';
import { isRecord } from '../../core/record.ts';
import { refusedArgument } from './argument-types.ts';

/**
 * Refuses options that a call does not have: a misspelt one would be ignored otherwise. `names` lists them all.
 *
 * @throws SkeinError `invalid_argument` with the call, the option and the names it has
 */
export function checkOptionNames<Options extends object>(
  call: string,
  options: Options,
  names: Readonly<Record<keyof Options, true>>,
): void {
  // Callers without types may pass anything.
  const given: unknown = options;
  if (!isRecord(given)) throw refusedArgument(`The options argument of ${call}`, 'an object', given);
  const foreign = Object.keys(given).find((name) => !Object.hasOwn(names, name));
  if (foreign === undefined) return;
  const known = Object.keys(names).join(', ');
  throw new SkeinError('invalid_argument', `${call} has no option "${foreign}"; the options are ${known}`);
}
