import { SkeinError } from './core/errors.ts';

/** Assembles messages in cache tiers. @throws SkeinError `not_available`: assembly comes in a later version. */
export function assembleTieredMessages(): never {
  throw new SkeinError('not_available', 'Tiered prompt assembly is not available in this version');
}

/** Assembles messages flat. @throws SkeinError `not_available`: assembly comes in a later version. */
export function assembleMessages(): never {
  return assembleTieredMessages();
}
