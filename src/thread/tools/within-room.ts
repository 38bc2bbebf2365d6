import { cutOutcome, MAX_CHARS } from '../../tools/render-outcome.ts';

/** What a model may be told of them: the rest is for the text around the results. */
const ROOM = MAX_CHARS - 1_000;

/** What a cut says of itself; and so much a text has at least. */
const NOTE = 100;

type Told = { readonly result: unknown; readonly error: string | null };

/** Whether a model may be told all of them. */
export function hasRoom(outcomes: readonly unknown[]): boolean {
  return sizeOf(outcomes) <= ROOM;
}

/**
 * Cuts results and errors that are too long for a model all together: what is short stays whole, and the others get the same
 * share, so that of each the rest is there, such as its id, its status and its cost. If they are too many for that, the first
 * ones are there.
 */
export function withinRoom<Of extends Told>(all: readonly Of[]): readonly Of[] {
  const outcomes = all.slice(0, countInRoom(all));
  const texts = outcomes.flatMap(({ result, error }) => [result, error ?? '']);
  const share = evenShare(texts.map(sizeOf), ROOM - sizeOf(outcomes.map(withoutTexts)));
  return outcomes.map((outcome) => {
    const { result, error } = outcome;
    return { ...outcome, result: cutTo(share, result), error: error === null ? null : cutTo(share, error) };
  });
}

/** How many of the first ones have room, if no text of theirs has more than a cut needs. */
function countInRoom(outcomes: readonly Told[]): number {
  let left = ROOM;
  const last = outcomes.findIndex((outcome) => {
    const texts = [outcome.result, outcome.error ?? ''].map((text) => Math.min(NOTE, sizeOf(text)));
    // With a comma.
    left -= sizeOf(withoutTexts(outcome)) + 1 + texts.reduce((sum, size) => sum + size);
    return left < 0;
  });
  return last === -1 ? outcomes.length : last;
}

function withoutTexts<Of extends Told>(outcome: Of): Of {
  return { ...outcome, result: '', error: '' };
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
