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
