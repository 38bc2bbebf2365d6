import { cutOutcome, MAX_CHARS } from '../../tools/render-outcome.ts';

/** What is left for the text around the results, and for what a cut says of itself. */
const MARGIN = 1_000;
const NOTE = 100;

/** Whether a model may be told all of them. */
export function hasRoom(outcomes: readonly unknown[]): boolean {
  return sizeOf(outcomes) <= MAX_CHARS - MARGIN;
}

/**
 * Cuts results and errors that are too long for a model all together: what is short stays whole, and the others get the same
 * share, so that of each the rest is there, such as its id, its status and its cost.
 */
export function withinRoom<Of extends { readonly result: unknown; readonly error: string | null }>(
  outcomes: readonly Of[],
): readonly Of[] {
  const texts = outcomes.flatMap(({ result, error }) => [result, error ?? '']);
  const around = sizeOf(outcomes.map((outcome) => ({ ...outcome, result: '', error: '' })));
  const share = evenShare(texts.map(sizeOf), MAX_CHARS - MARGIN - around);
  return outcomes.map((outcome) => {
    const { result, error } = outcome;
    return { ...outcome, result: cutTo(share, result), error: error === null ? null : cutTo(share, error) };
  });
}

/** Most that each may have, so that all together have no more than the room. */
function evenShare(sizes: readonly number[], room: number): number {
  let left = room;
  const rising = sizes.toSorted((one, other) => one - other);
  for (const [at, size] of rising.entries()) {
    const share = left / (rising.length - at);
    if (size > share) return share;
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

/** What is no longer than its share is left as it is. */
function cutTo<Of>(share: number, result: Of): Of | string {
  if (sizeOf(result) <= share) return result;
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  const room = Math.max(2, share - NOTE);
  let most = Math.floor(room);
  // Quotes and line breaks take twice their room, and some characters six times.
  for (let size = sizeOf(text.slice(0, most)); size > room; size = sizeOf(text.slice(0, most)))
    most = Math.floor((most * room) / size);
  return cutOutcome(text, most);
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value).length;
}
