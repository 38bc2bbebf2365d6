/** Chooses paths by the tokens that each takes, so that together they take no more than there is room for. */
export type Cut = (sizes: readonly (readonly [path: string, tokens: number])[], room: number) => ReadonlySet<string>;

/** What was chosen stays until it takes this much of the room: where an end is near, a few tokens more or less change nothing. */
const SLACK = 1.1;

/**
 * Makes the {@link Cut} of one session. Of too many, those that were taken before are taken first, then those nearest to the root.
 * `taken`: before a restart.
 */
export function createCut(taken?: readonly string[]): Cut {
  let before: ReadonlySet<string> = new Set(taken);
  return (sizes, room) => {
    const total = sizes.reduce((sum, [, tokens]) => sum + tokens, 0);
    before = new Set((total <= room ? sizes : fitting(sizes, room, before)).map(([path]) => path));
    return before;
  };
}

type Sizes = Parameters<Cut>[0];

function fitting(sizes: Sizes, room: number, before: ReadonlySet<string>): Sizes {
  const shown = sizes.reduce((sum, [path, tokens]) => (before.has(path) ? sum + tokens : sum), 0);
  const allStay = shown <= room * SLACK;
  let taken = 0;
  return sizes
    .map(([path, tokens]) => ({ path, tokens, isNew: !before.has(path), depth: path.split('/').length }))
    .toSorted((one, other) => Number(one.isNew) - Number(other.isNew) || one.depth - other.depth)
    .flatMap(({ path, tokens, isNew }) => {
      if ((isNew || !allStay) && taken + tokens > room) return [];
      taken += tokens;
      return [[path, tokens] as const];
    });
}
