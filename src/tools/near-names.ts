/** Up to `most` candidates that look like `name`, the likest first: by shared pairs of letters. */
export function nearNames(name: string, candidates: readonly string[], most = 3): readonly string[] {
  const wanted = pairs(name);
  return candidates
    .map((candidate) => ({ candidate, likeness: likeness(wanted, pairs(candidate)) }))
    .filter(({ likeness }) => likeness >= 0.3)
    .toSorted((left, right) => right.likeness - left.likeness || (left.candidate < right.candidate ? -1 : 1))
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

function pairs(text: string): ReadonlySet<string> {
  const lower = text.toLowerCase().slice(0, 128);
  return new Set(Array.from({ length: Math.max(0, lower.length - 1) }, (_, at) => lower.slice(at, at + 2)));
}

function likeness(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const shared = [...left].filter((pair) => right.has(pair)).length;
  return left.size + right.size === 0 ? 0 : (2 * shared) / (left.size + right.size);
}
