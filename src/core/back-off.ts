/**
 * How a provider stands that has refused a call for being one too many (429). Host and workers keep one each and hold it
 * against each other by {@link backOffAfter}, so that it does not matter who hears of a refusal first.
 */
export type BackOff = {
  /** How often the provider was closed so far; a call knows the round it was started in. */
  readonly round: number;
  /** Rounds in a row that ended in a refusal, and of whose calls none is known to have been answered. */
  readonly streak: number;
  /** On the process's stopwatch; no call starts before. */
  readonly until: number;
};

/** A call that was refused. */
export type RefusedCall = {
  /** The round it was started in; 0 if the provider was not known to refuse anything then. */
  readonly startedIn: number;
  /** On the process's stopwatch. */
  readonly until: number;
};

/** A provider that has refused nothing. */
export const NO_BACK_OFF: BackOff = { round: 0, streak: 0, until: 0 };

/**
 * Whether a refusal says something new. Of twenty calls that were in flight together twenty are refused: the first closes
 * the provider, the others belong to the same round and don't make the wait grow.
 */
export function isNews({ round, streak }: BackOff, { startedIn }: Pick<RefusedCall, 'startedIn'>): boolean {
  return streak === 0 || startedIn >= round;
}

/** How the provider stands after a refusal. */
export function backOffAfter(before: BackOff, refused: RefusedCall): BackOff {
  const { round, streak } = before;
  const until = Math.max(before.until, refused.until);
  return isNews(before, refused) ? { round: round + 1, streak: streak + 1, until } : { round, streak, until };
}

/**
 * How the provider stands after an answer to a call that was started in a round: that round was of use, however it ended, and
 * the answer may take longer than the refusal that ended it.
 */
export function backOffAnswered(before: BackOff, startedIn: number): BackOff {
  const since = Math.max(0, before.round - startedIn);
  return since < before.streak ? { ...before, streak: since } : before;
}
