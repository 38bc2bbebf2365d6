import type { Config } from '../../config/config.ts';
import { SkeinError } from '../../core/errors.ts';

/**
 * Names of events that there are: a misspelt one would have no events, as if nothing had happened.
 *
 * @throws SkeinError `invalid_argument`
 */
export function knownTypes(types: readonly string[], { events }: Config): ReadonlySet<string> {
  for (const type of types) {
    if (Object.hasOwn(events.eventTypes, type)) continue;
    const names = Object.keys(events.eventTypes).join(', ');
    throw new SkeinError('invalid_argument', `There is no event type ${JSON.stringify(type)}; there are: ${names}`);
  }
  return new Set(types);
}
