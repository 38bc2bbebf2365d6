/** What a provider's cache takes of one model. */
export type CacheLimits = {
  /** How many marks a request may have. */
  readonly breakpoints: number;
  /** Tokens from which on the beginning of a request is cached. */
  readonly minimumTokens: number;
};

/** A part of a request that a mark may stand at the end of. */
export type MarkableBlock = { readonly tokens: number };

/**
 * Which blocks of a request get a cache mark, as indices in order. A mark is for everything before it, so a block is
 * measured with all those before; under the minimum it gets none. Of too many marks the last ones stay: they have the
 * longest prefixes.
 */
export function marks(
  blocks: readonly MarkableBlock[],
  { breakpoints, minimumTokens }: CacheLimits,
): readonly number[] {
  if (breakpoints <= 0) return [];
  let prefix = 0;
  const cached = blocks.flatMap(({ tokens }, at) => {
    prefix += tokens;
    return tokens > 0 && prefix >= minimumTokens ? [at] : [];
  });
  return cached.slice(-breakpoints);
}
