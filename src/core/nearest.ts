/** The word that somebody may have meant: the one that differs in the fewest letters, and in few; else the one it begins. */
export function nearest(given: string, words: readonly string[]): string | undefined {
  const ranked = words.map((word) => ({ word, distance: distance(given, word) }));
  const best = ranked.toSorted((one, other) => one.distance - other.distance)[0];
  if (best && best.distance <= mostFor(given)) return best.word;
  const begun = words.filter((word) => given.length >= 3 && word.startsWith(given));
  return begun.length === 1 ? begun[0] : undefined;
}

/** Letters that may differ: one in three, at most three. */
function mostFor(word: string): number {
  return Math.min(3, Math.floor(word.replace(/^-+/, '').length / 3) || 1);
}

/** Longer words are nobody's slip. */
const MOST_LETTERS = 60;

/** Letters to change, add, leave out or swap with their neighbour. */
function distance(one: string, other: string): number {
  if (one.length > MOST_LETTERS) return Number.POSITIVE_INFINITY;
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwap = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      next[column] = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, next];
  }
  return last[other.length] ?? 0;
}
