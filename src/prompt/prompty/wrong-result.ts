import { types } from 'node:util';
import { SkeinError } from '../../core/errors.ts';

/** The error for something else than what a component of somebody's own is there to give, as one in JavaScript may do. */
export function wrongResult(
  of: { readonly component: 'renderer' | 'parser'; readonly key: string },
  wanted: string,
  given: unknown,
): SkeinError {
  const isPromise = types.isPromise(given);
  // Nobody waits for it: one that rejects must not end the process.
  if (isPromise) void given.catch(() => undefined);
  const message = `The ${of.component} "${of.key}" gave no ${wanted} (${isPromise ? 'a promise' : typeof given})`;
  return new SkeinError('invalid_argument', message, { detail: of });
}
