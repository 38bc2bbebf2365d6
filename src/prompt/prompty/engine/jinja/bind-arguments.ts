import { syntaxError, type Place } from '../place.ts';
import type { Arguments, Expression } from './syntax.ts';

/** Who is called, for messages, and what it takes. */
export interface Signature {
  readonly what: string;
  readonly parameters: readonly string[];
  readonly place: Place;
}

/** Puts arguments into the order of the parameters. @throws ValueError `template_syntax` for too many, unknown or doubled ones */
export function bindArguments(
  { positional, named }: Arguments,
  signature: Signature,
): readonly (Expression | undefined)[] {
  const { what, parameters, place } = signature;
  if (positional.length > parameters.length) {
    throw syntaxError(place, `${what} takes at most ${parameters.length} arguments`);
  }
  for (const name of named.keys()) {
    const at = parameters.indexOf(name);
    if (at === -1) throw syntaxError(place, `${what} has no argument ${name}`);
    if (at < positional.length) throw syntaxError(place, `The argument ${name} of ${what} is given twice`);
  }
  const bound = parameters.map((name, at) => positional[at] ?? named.get(name));
  const last = bound.findLastIndex((argument) => argument !== undefined);
  return bound.slice(0, last + 1);
}
