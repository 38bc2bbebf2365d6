import type { FailuresAnswer } from '../../api.ts';

/** What was looked through of a thread's log for what went wrong, without a gap. */
export type FailureLog = Omit<FailuresAnswer, 'id'>;

/** With one more page of it: an earlier one, or its end read again. */
export function withFailures(log: FailureLog | undefined, page: FailureLog): FailureLog {
  // More has come meanwhile than a page looks through: what is between them can be read from its end on.
  if (!log || (page.before ?? 0) > log.up_to + 1) return page;
  const events = new Map([...log.events, ...page.events].map((event) => [event.sequence ?? 0, event]));
  const before = log.before && page.before && Math.min(log.before, page.before);
  return {
    events: [...events].toSorted(([one], [other]) => one - other).map(([, event]) => event),
    ...(before !== undefined && { before }),
    up_to: Math.max(log.up_to, page.up_to),
  };
}
