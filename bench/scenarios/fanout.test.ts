import { afterEach, expect, test, vi } from 'vitest';
import type { AskedSizes } from '../job.ts';
import { fanout } from './fanout.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const NAMES = [
  'skein',
  'skein-bare',
  'plain',
  'plain-encode',
  'p-limit',
  'openai-agents',
  'langgraph-bare',
  'langgraph',
  'mastra',
];
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
    'by default one case, without those for which others stand',
    {},
    {
      '2000, 0 ms': 'skein skein-bare plain plain-encode openai-agents langgraph',
    },
  ],
  ['all run a size that is asked for', { threads: [500], llmMs: [7] }, { '500, 7 ms': NAMES.join(' ') }],
  ['also a large one', { threads: [10_000], llmMs: [0] }, { '10000, 0 ms': NAMES.join(' ') }],
  ['Skein alone runs more than the others can', { threads: [100_000], llmMs: [0] }, { '100000, 0 ms': 'skein' }],
  [
    'all run the smaller size where it may take long, most the larger one, and some of these with a model that takes its time',
    { isLong: true },
    {
      '2000, 0 ms': NAMES.join(' '),
      '10000, 0 ms': 'skein skein-bare plain plain-encode p-limit openai-agents langgraph',
      '10000, 100 ms': 'skein skein-bare plain plain-encode openai-agents langgraph',
    },
  ],
  [
    'a model that is asked for is the one of all who run a size',
    { isLong: true, llmMs: [100] },
    {
      '2000, 100 ms': NAMES.join(' '),
      '10000, 100 ms': 'skein skein-bare plain plain-encode p-limit openai-agents langgraph',
    },
  ],
])('%s', (_, asked, expected) => {
  expect(plan(asked)).toEqual(expected);
});

test.each([
  // A run takes as long whatever its size.
  { ms: 10, rounds: 4, threads: 2_000, measured: 300 },
  { ms: 10, rounds: 4, threads: 20, measured: 300 },
  { ms: 1_499, rounds: 4, threads: 2_000, measured: 3 },
  { ms: 1_500, rounds: 4, threads: 2_000, measured: 2 },
  { ms: 3_000, rounds: 4, threads: 2_000, measured: 1 },
  { ms: 3_400, rounds: 3, threads: 10_000, measured: 1 },
  { ms: 9_999, rounds: 2, threads: 2_000, measured: 1 },
  { ms: 10_000, rounds: 1, threads: 2_000, measured: 1 },
  { ms: 60_000, rounds: 1, threads: 2_000, measured: 1 },
])('runs of $ms ms: $rounds to warm up, $measured of $threads threads measured', async (given) => {
  vi.useFakeTimers({ toFake: ['performance'] });
  vi.stubGlobal('gc', () => undefined);
  const ran: number[] = [];
  let cpu = 0;
  vi.spyOn(process, 'cpuUsage').mockImplementation((before) => ({ user: cpu - (before?.user ?? 0), system: 0 }));
  const params = { threads: given.threads, turns: 1, llmMs: 0 };
  const contender = {
    run(threads: number): Promise<void> {
      ran.push(threads);
      // 7 µs a turn.
      cpu += 7 * threads;
      vi.advanceTimersByTime(given.ms);
      return Promise.resolve();
    },
    inspect: () => Promise.resolve({ metrics: {}, problems: [] }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const scenario = fanout({ names: ['any'], create: () => Promise.resolve(contender) });
  const { metrics } = await scenario.measure({ scenario: 'fanout', contender: 'any', params, scratch: '' });
  const times = (count: number, threads: number): number[] => Array.from({ length: count }, () => threads);
  expect(ran).toEqual([...times(given.rounds, 5_000), ...times(given.measured, given.threads)]);
  expect(metrics['cpu_per_turn']).toBeCloseTo(7, 9);
  // Of one run, and of all of them.
  expect(metrics['wall']).toBeCloseTo(given.ms / 1_000, 9);
  expect(metrics['threads_per_second']).toBeCloseTo((1_000 * given.threads) / given.ms, 3);
});
