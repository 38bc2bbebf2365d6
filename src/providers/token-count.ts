/** No call has more: a server's counter that went below 0 says some 2³² or 2⁶⁴, which no column could hold. */
const MOST_TOKENS = 1_000_000_000;

/** A provider's count as a whole number; undefined: it is none. */
export function knownCount(reported: unknown): number | undefined {
  return typeof reported === 'number' && reported >= 0 && reported <= MOST_TOKENS ? Math.ceil(reported) : undefined;
}

/**
 * Tokens of an answer: those that were counted, and an estimate of the others. An estimate alone is never more than the answer
 * may have, which was reserved.
 */
export function answerTokens(counted: number, estimate: number, maxOutputTokens: number): number {
  return Math.max(counted, Math.min(counted + estimate, maxOutputTokens));
}

/** A provider's count as a whole number; anything else counts as nothing, or as what is known otherwise. */
export function tokenCount(reported: unknown, otherwise = 0): number {
  return knownCount(reported) ?? otherwise;
}

/**
 * A provider's count of an input, what of it is cached included. Something is always sent: 0 is no count (undefined), and means
 * what is `known` of it: an earlier count, or the cached part.
 */
export function inputCount(reported: unknown, known: number): number | undefined {
  const count = knownCount(reported);
  return count === 0 ? known || undefined : count;
}

/** A provider's count of what came of an answer. Servers that begin at 0 may say so beside their words: 0 is none (undefined). */
export function outputCount(reported: unknown): number | undefined {
  return knownCount(reported) || undefined;
}
