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

/** So many threads in their model calls; `told` has the numbers of those whose machines have heard of it, in order. */
function inTheirCalls(count: number, onTold: (no: ThreadNo) => void = () => undefined) {
  const ticks = createHandTicks();
  const told: ThreadNo[] = [];
  const events: ThreadMachineEvent[] = [];
  const aborted = new Set<ThreadNo>();
  const entries = Array.from({ length: count }, (_, no): [ThreadNo, { readonly thread: Thread }] => {
    const abort = (): TokenUsage => {
      aborted.add(no);
      return USAGE;
    };
    const send = (event: ThreadMachineEvent): void => {
      told.push(no);
      events.push(event);
      onTold(no);
    };
    return [no, { thread: { ...BLANK, send, call: { abort } } }];
  });
  const threads = new Map(entries);
  return { cancel: createCancelThreads({ threads, schedule: ticks.schedule }), threads, ticks, told, events, aborted };
}

test.each([
  ['one command for all', [ALL]],
  ['a command for each', ALL.map((no) => [no])],
])('every call is aborted before the next turn, the machines hear of it 500 a turn: %s', (_, commands) => {
  const { cancel, threads, ticks, told, events, aborted } = inTheirCalls(MANY);
  for (const numbers of commands) cancel(numbers, 'no');
  expect([aborted.size, told.length]).toEqual([MANY, 500]);
  for (const { thread } of threads.values()) {
    expect(thread).toMatchObject({ cancelReason: 'no', call: undefined, abortedUsage: USAGE });
  }
  ticks.end();
  expect(told.length).toBe(1_000);
  ticks.endAll();
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
  cancel([0, 7], 'second');
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

test('a call that throws when it is aborted keeps its thread from nothing', () => {
  const { cancel, threads, told } = inTheirCalls(2);
  const broken = threads.get(0)?.thread;
  if (broken)
    broken.call = {
      abort() {
        throw new Error('broken');
      },
    };
  expect(() => cancel([1, 0], 'no')).toThrow('broken');
  expect(told).toEqual([1, 0]);
});
