import { SkeinError } from '../../core/errors.ts';

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
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    const what = Array.isArray(given) ? 'a list' : String(given);
    throw new SkeinError('invalid_argument', `The options of ${call} are an object, not ${what}`);
  }
  const foreign = Object.keys(given).find((name) => !Object.hasOwn(names, name));
  if (foreign === undefined) return;
  const known = Object.keys(names).join(', ');
  throw new SkeinError('invalid_argument', `${call} has no option "${foreign}"; the options are ${known}`);
}
