import { expect, test } from 'vitest';
import { createHandTicks } from '../../../test/fixtures/hand-port.ts';
import { createThreadBench } from '../../../test/fixtures/thread-bench.ts';
import type { ThreadNo } from '../../core/ids.ts';
import type { ThreadMachineEvent } from '../../../machines/thread.machine.ts';
import { NO_USAGE, type TokenUsage } from '../../core/provider.ts';
import type { Thread } from '../thread.ts';
import { createCancelThreads } from './cancel-threads.ts';

const MANY = 1_200;
const ALL = Array.from({ length: MANY }, (_, no) => no);
const BLANK = createThreadBench().thread;

const USAGE: TokenUsage = { ...NO_USAGE, outputTokens: 7 };

/** So many threads in their model calls; `told` has the numbers of those whose machines have heard of it, in order: 10 µs each. */
function inTheirCalls(count: number, onTold: (no: ThreadNo) => void = () => undefined) {
  const ticks = createHandTicks();
  let now = 0;
  const told: ThreadNo[] = [];
  const events: ThreadMachineEvent[] = [];
  const aborted = new Set<ThreadNo>();
  const entries = Array.from({ length: count }, (_, no): [ThreadNo, { readonly thread: Thread }] => {
    const abort = (): TokenUsage => {
      aborted.add(no);
      return USAGE;
    };
    const send = (event: ThreadMachineEvent): void => {
      now += 0.01;
      told.push(no);
      events.push(event);
      onTold(no);
    };
    return [no, { thread: { ...BLANK, send, call: { abort } } }];
  });
  const threads = new Map(entries);
  const cancel = createCancelThreads({ threads, now: () => now, schedule: ticks.schedule });
  return { cancel, threads, ticks, told, events, aborted };
}

test.each([
  ['one command for all', [ALL]],
  ['a command for each', ALL.map((no) => [no])],
])('every call is aborted before the next turn, the machines hear of it for 5 ms a turn: %s', (_, commands) => {
  const { cancel, threads, ticks, told, events, aborted } = inTheirCalls(MANY);
  for (const numbers of commands) cancel(numbers, 'no');
  expect(aborted.size).toBe(MANY);
  for (const { thread } of threads.values()) {
    expect(thread).toMatchObject({ cancelReason: 'no', call: undefined, abortedUsage: USAGE });
  }
  const after: number[] = [];
  while (ticks.waiting() > 0) {
    after.push(told.length);
    ticks.end();
  }
  const longest = Math.max(...after.map((count, turn) => count - (after[turn - 1] ?? 0)));
  expect(longest).toBeGreaterThanOrEqual(500);
  expect(longest).toBeLessThanOrEqual(510);
  expect(told).toEqual(ALL);
  expect(events).toEqual(ALL.map(() => ({ type: 'CANCEL', reason: 'no' })));
});

test('one that is cancelled in a later turn hears of it at once', () => {
  const { cancel, ticks, told } = inTheirCalls(MANY);
  cancel(ALL.slice(0, 500), 'no');
  ticks.endAll();
  cancel([1_199], 'no');
  expect(told.at(-1)).toBe(1_199);
});

test('the reason that came first stays', () => {
  const { cancel, threads } = inTheirCalls(1);
  cancel([0], 'first');
  cancel([7, 0], 'second');
  expect(threads.get(0)?.thread.cancelReason).toBe('first');
});

test('a machine that throws keeps no other from hearing of it', () => {
  const { cancel, ticks, told } = inTheirCalls(3, (no) => {
    if (no === 0) throw new Error('broken');
  });
  expect(() => cancel([0, 1, 2], 'no')).toThrow('broken');
  ticks.endAll();
  expect(told).toEqual([0, 1, 2]);
});

test('a call that knows nothing of what it has used is booked as one of nothing', () => {
  const { cancel, threads } = inTheirCalls(1);
  const thread = threads.get(0)?.thread;
  if (thread) thread.call = { abort: () => undefined };
  cancel([0], 'no');
  expect(thread?.abortedUsage).toEqual(NO_USAGE);
});
