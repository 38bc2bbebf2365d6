import { syntaxError, type Place } from '../place.ts';
import type { Arguments, Expression } from './syntax.ts';

/** Who is called, for messages, and what it takes. */
export interface Signature {
  readonly what: string;
  readonly parameters: readonly string[];
  /** Their places, if they may be many. */
  readonly places?: ReadonlyMap<string, number>;
  readonly place: Place;
}

/** Puts arguments into the order of the parameters. @throws ValueError `template_syntax` for too many, unknown or doubled ones */
export function bindArguments(
  { positional, named }: Arguments,
  signature: Signature,
): readonly (Expression | undefined)[] {
  const { what, parameters, places, place } = signature;
  if (positional.length > parameters.length) {
    throw syntaxError(place, `${what} takes at most ${parameters.length} arguments`);
  }
  const bound: (Expression | undefined)[] = [...positional];
  for (const [name, value] of named) {
    const at = places ? (places.get(name) ?? -1) : parameters.indexOf(name);
    if (at === -1) throw syntaxError(place, `${what} has no argument ${name}`);
    if (at < positional.length) throw syntaxError(place, `The argument ${name} of ${what} is given twice`);
    while (bound.length < at) bound.push(undefined);
    bound[at] = value;
  }
  return bound;
}
