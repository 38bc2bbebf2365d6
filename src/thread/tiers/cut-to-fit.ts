/** Chooses paths by the tokens that each takes, so that together they take no more than there is room for. */
export type Cut = (sizes: readonly (readonly [path: string, tokens: number])[], room: number) => ReadonlySet<string>;

/** What was chosen stays while there is this much room: where an end is near, a few tokens more or less change nothing. */
const SLACK = 1.1;

/** Makes the {@link Cut} of one session. Of too many, those nearest to the root are taken, and those that were before. */
export function createCut(): Cut {
  let before: ReadonlySet<string> = new Set();
  return (sizes, room) => {
    const total = sizes.reduce((sum, [, tokens]) => sum + tokens, 0);
    before = new Set((total <= room ? sizes : fitting(sizes, room, before)).map(([path]) => path));
    return before;
  };
}

type Sizes = Parameters<Cut>[0];

function fitting(sizes: Sizes, room: number, before: ReadonlySet<string>): Sizes {
  const rankOf = (path: string): number => (before.has(path) ? 0 : path.split('/').length);
  let taken = 0;
  return sizes
    .map(([path, tokens]) => ({ path, tokens, rank: rankOf(path) }))
    .toSorted((one, other) => one.rank - other.rank)
    .flatMap(({ path, tokens, rank }) => {
      if (taken + tokens > (rank === 0 ? room * SLACK : room)) return [];
      taken += tokens;
      return [[path, tokens] as const];
    });
}
