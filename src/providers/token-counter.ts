import { estimateTextTokens } from './pricing.ts';

/** Counts the tokens of one model before they are sent. Its functions need no `this`. */
export interface ModelCounter {
  /** Tokens of a text by this counter's own measure. Additive; asked once for every text. */
  readonly count: (text: string) => number;
  /** How many the provider is likely to count where this counter counted so many, from above; whole. */
  readonly expect: (counted: number) => number;
  /** So many the provider did count where this counter counted so many. */
  readonly observe: (counted: number, actual: number) => void;
}

/** Counts by the length of texts and never learns: for scripts, whose counts are what their author wrote. */
export const LENGTH_COUNTER: ModelCounter = {
  count: estimateTextTokens,
  expect: (counted) => counted,
  observe: () => undefined,
};

/** What is expected above what the last calls were like: texts differ. */
export const COUNTING_MARGIN = 0.05;
/** Bounds of the correction; nothing that was seen in one place says that all other texts are so dense, or so thin. */
const LEAST_SCALE = 0.6;
const MOST_SCALE = 3;
/** Tokens from which on a count says something about texts, and not about what a provider puts around them. */
const LEAST_SAMPLE = 200;
/**
 * Share of the way to a lower ratio that one call goes: three are enough for what is expected to be within 15 % of what comes, also
 * for the thinnest texts and where each is 3 % off.
 */
const SINKING = 0.65;

/**
 * Corrects a count by what the provider counted. The correction rises at once and sinks by steps, so that what is expected
 * stays an upper bound of what comes: the worst case of a call is reserved by it (contracts, "Ledger").
 */
export function createLearningCounter(count: ModelCounter['count']): ModelCounter {
  let scale = 1;
  return {
    count,
    expect: (counted) => Math.ceil(counted * scale),
    observe(counted, actual) {
      if (counted < LEAST_SAMPLE || !(actual > 0)) return;
      const seen = (actual / counted) * (1 + COUNTING_MARGIN);
      const next = seen > scale ? seen : scale + (seen - scale) * SINKING;
      scale = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, next));
    },
  };
}
