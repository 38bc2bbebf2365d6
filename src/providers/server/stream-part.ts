/** A part of an answer as pieces of a stream: its opening stands with the first delta, its closing with the last. */
export function streamPart(opening: string, deltas: readonly string[], closing: string): string[] {
  if (deltas.length === 0) return [opening + closing];
  const pieces = [...deltas];
  pieces[0] = opening + (pieces[0] ?? '');
  pieces[pieces.length - 1] += closing;
  return pieces;
}
