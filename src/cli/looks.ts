import { answerOrNone } from '../core/answer-or-none.ts';
import type { Leaving } from './until-left.ts';

/** How looks are taken. */
export type LooksOptions = {
  /** Milliseconds between two of them. */
  readonly intervalMs: number;
  readonly leaving: Pick<Leaving, 'hasLeft' | 'unlessLeft' | 'wait'>;
  /** Milliseconds for which this process has worked so far. */
  readonly workedMs: () => number;
};

/** A look may take one part in so many of the time. */
const SHARE = 10;

/**
 * One look after the other, until somebody leaves; seldom where a look takes much work, as in a very large database. None of a
 * runtime that does not answer, or is about to end: the next one sees how it stands.
 */
export async function* looks<Look>(
  look: () => Promise<Look>,
  { intervalMs, leaving, workedMs }: LooksOptions,
): AsyncGenerator<Look, void> {
  for (let isFirst = true; !leaving.hasLeft(); isFirst = false) {
    const before = workedMs();
    const seen = await leaving.unlessLeft(() => answerOrNone(look()));
    const worked = workedMs() - before;
    if (seen !== undefined) yield seen;
    // The first one loads what the others need.
    await leaving.wait(isFirst ? intervalMs : Math.max(intervalMs, SHARE * worked));
  }
}
