import { afterEach, expect, test, vi } from 'vitest';
import type { AskedSizes } from '../job.ts';
import { fanout } from './fanout.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const NAMES = ['skein', 'plain-encode', 'plain', 'langgraph', 'mastra'];
const scenario = fanout({ names: NAMES, create: () => Promise.reject(new Error('nobody asked for it')) });
const DEFAULT: AskedSizes = { threads: [], turns: 3, llmMs: [], isLong: false };

/** Who runs each case. */
function plan(asked: Partial<AskedSizes>): Record<string, string> {
  const sizes = { ...DEFAULT, ...asked };
  const rows = scenario.cases(sizes).map((params) => {
    const takers = NAMES.filter((name) => scenario.takesPart?.(name, params, sizes));
    return [`${params.threads}, ${params.llmMs} ms`, takers.join(' ')];
  });
  return Object.fromEntries(rows);
}

test.each<[string, Partial<AskedSizes>, Record<string, string>]>([
  [
    'by default the dear ones run the smallest case, and the dearest none',
    {},
    {
      '2000, 0 ms': 'skein plain-encode plain langgraph',
      '2000, 100 ms': 'skein plain-encode',
      '10000, 0 ms': 'skein plain-encode plain',
    },
  ],
  ['all run a size that is asked for', { threads: [500], llmMs: [7] }, { '500, 7 ms': NAMES.join(' ') }],
  ['Skein alone runs more than the others can', { threads: [100_000], llmMs: [0] }, { '100000, 0 ms': 'skein' }],
  [
    'all run everything where it may take long',
    { isLong: true, llmMs: [0] },
    { '2000, 0 ms': NAMES.join(' '), '10000, 0 ms': NAMES.join(' ') },
  ],
])('%s', (_, asked, expected) => {
  expect(plan(asked)).toEqual(expected);
});

test.each([
  [1, 4],
  [3_000, 4],
  [3_400, 3],
  [9_999, 2],
  [10_000, 1],
  [60_000, 1],
])('a contender that takes %i ms for a round of the warm-up goes %i rounds', async (ms, rounds) => {
  vi.useFakeTimers({ toFake: ['performance'] });
  vi.stubGlobal('gc', () => undefined);
  const ran: number[] = [];
  const params = { threads: 100, turns: 1, llmMs: 0 };
  const contender = {
    run(threads: number): Promise<void> {
      ran.push(threads);
      vi.advanceTimersByTime(ms);
      return Promise.resolve();
    },
    inspect: () => Promise.resolve({ metrics: {}, problems: [] }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const warmed = fanout({ names: ['any'], create: () => Promise.resolve(contender) });
  await warmed.measure({ scenario: 'fanout', contender: 'any', params, scratch: '' });
  expect(ran).toEqual([...Array.from({ length: rounds }, () => 5_000), 100]);
});
