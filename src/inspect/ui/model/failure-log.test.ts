import { expect, test } from 'vitest';
import { logEvent } from '../fixtures/log-event.ts';
import { withFailures, type FailureLog } from './failure-log.ts';

/** A page that looked through `before` … `up_to`; undefined: from the beginning. */
function page(before: number | undefined, up_to: number, ...found: readonly number[]): FailureLog {
  const events = found.map((sequence) => logEvent(sequence, 'warning'));
  return { events, up_to, ...(before !== undefined && { before }) };
}

test.each<[string, FailureLog | undefined, FailureLog, FailureLog]>([
  ['The first page is all that is known', undefined, page(10, 20, 12), page(10, 20, 12)],
  ['An earlier one goes before it', page(10, 20, 12), page(5, 9, 7), page(5, 20, 7, 12)],
  ['The earliest one says that there is no more', page(10, 20), page(undefined, 9, 2), page(undefined, 20, 2)],
  ['The end again keeps what was before', page(undefined, 20, 2, 12), page(15, 25, 21), page(undefined, 25, 2, 12, 21)],
  ['An end that has run away stands alone', page(5, 20, 7), page(30, 40, 33), page(30, 40, 33)],
])('%s', (_, log, read, expected) => {
  expect(withFailures(log, read)).toEqual(expected);
});
