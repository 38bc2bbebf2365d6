import { expect, test } from 'vitest';
import type { OperationName } from '../../core/operations.ts';
import { longestMs } from './deadlines.ts';

test.each<[OperationName, object, number]>([
  ['get_status', {}, 8_000],
  ['read_events', { wait: 20 }, 28_000],
  ['resume_thread', {}, 30_000],
  ['cancel_thread', {}, 600_000],
  ['kill_thread', {}, 600_000],
  // The thread's next step may come after a long answer of its model.
  ['handoff_thread', {}, 600_000],
  ['wait_threads', { timeout: 2 }, 32_000],
  ['wait_threads', {}, 40_000],
])('%s %j is waited for %d ms', (name, input, expected) => {
  expect(longestMs(name, input, 10)).toBe(expected);
});
