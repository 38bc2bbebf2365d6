import { SkeinError } from '../core/errors.ts';
import type { Directive } from '../core/item.ts';

/** Directives from the root of an extends chain to the one that is run. Never empty. */
export type Levels = readonly Directive[];

/** Most directives in a chain, the one that is run included. */
export const MAX_LEVELS = 16;

/** What a chain starts from. */
export type ChainStart = {
  readonly leaf: Directive;
  /** Id of what it extends; undefined for nothing. */
  readonly base: string | undefined;
  /** Reads a directive by its id. @throws SkeinError */
  readonly load: (id: string) => Directive;
};

/**
 * Follows what a directive extends to the root (S3 layer 3).
 *
 * @throws SkeinError with the chain, from the directive to the culprit, in its message: `invalid_item` for a circle or for
 * more than {@link MAX_LEVELS} levels; else with the code of what is wrong with a base, `item_not_found` if it is missing
 */
export function readLevels({ leaf, base, load }: ChainStart): Levels {
  const levels = [leaf];
  const ids = [leaf.id];
  for (let next = base; next !== undefined;) {
    const seen = ids.includes(next);
    ids.push(next);
    if (seen) throw refusal(ids, 'it runs in a circle');
    if (ids.length > MAX_LEVELS) throw refusal(ids, `it has more than ${MAX_LEVELS} levels`);
    const level = loadBase(next, ids, load);
    levels.push(level);
    next = level.extends;
  }
  return levels.toReversed();
}

function loadBase(id: string, ids: readonly string[], load: ChainStart['load']): Directive {
  try {
    return load(id);
  } catch (thrown) {
    if (!(thrown instanceof SkeinError)) throw thrown;
    const { code, message, where } = thrown;
    throw new SkeinError(code, `The chain ${ids.join(' → ')} can not be used: ${message}`, { cause: thrown, where });
  }
}

function refusal(ids: readonly string[], reason: string): SkeinError {
  return new SkeinError('invalid_item', `The chain ${ids.join(' → ')} can not be used: ${reason}`);
}
