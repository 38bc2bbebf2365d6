import { expect, test, vi } from 'vitest';
import { BY_NAME, LIBRARIES_BY_NAME } from './contenders/by-name.ts';
import { guard, pastLimits, type GuardedName } from './guard-limits.ts';
import type { Series } from './results.ts';
import { scenariosWith } from './scenarios/shipped.ts';

vi.spyOn(console, 'log').mockImplementation(() => undefined);

const NAMES: readonly GuardedName[] = ['fanout', 'resume', 'parked'];
const LOWER_BOUND = 8;
/** Figures of Skein that hold. */
const HELD: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  fanout: {
    cpu_per_turn: 11 * LOWER_BOUND,
    events_per_thread: 17,
    event_bytes_per_thread: 3_900,
    checkpoints_per_thread: 3,
  },
  resume: { cpu_per_thread: 80 * LOWER_BOUND },
  parked: { heap_per_thread: 5_000 },
};

function seriesOf(figures: typeof HELD): Series[] {
  const params = { threads: 1, turns: 1, llmMs: 0 };
  const one = (scenario: string, contender: string, metrics: Readonly<Record<string, number>>): Series => {
    return { scenario, contender, params, runs: Array.from({ length: 5 }, () => ({ metrics, problems: [] })) };
  };
  return [
    ...Object.entries(figures).map(([scenario, metrics]) => one(scenario, 'skein', metrics)),
    one('fanout', 'plain-encode', { cpu_per_turn: LOWER_BOUND }),
  ];
}

test('what holds is not told', () => {
  expect(pastLimits(NAMES, seriesOf(HELD))).toEqual([]);
});

test.each([
  ['fanout', 'cpu_per_turn', 12 * LOWER_BOUND, 'fanout cpu_per_turn ÷ plain-encode: 12.00, at most 11.5'],
  ['fanout', 'events_per_thread', 21, 'fanout events_per_thread: 21.00, at most 20'],
  ['fanout', 'event_bytes_per_thread', 4_701, 'fanout event_bytes_per_thread: 4701.00, at most 4700'],
  ['fanout', 'checkpoints_per_thread', 5, 'fanout checkpoints_per_thread: 5.00, at most 4'],
  ['resume', 'cpu_per_thread', 91 * LOWER_BOUND, 'resume cpu_per_thread ÷ plain-encode: 91.00, at most 90'],
  ['parked', 'heap_per_thread', 8_193, 'parked heap_per_thread: 8193.00, at most 8192'],
  ['parked', 'heap_per_thread', Number.NaN, 'parked heap_per_thread: NaN, at most 8192'],
])('%s %s of %d is told', (scenario, metric, value, told) => {
  const figures = { ...HELD, [scenario]: { ...HELD[scenario], [metric]: value } };
  expect(pastLimits(NAMES, seriesOf(figures))).toEqual([told]);
});

test('a pair of runs is held by its ratio: a machine that slows down slows both of it down', () => {
  const slower = (contender: string, times: number): Series => ({
    ...(seriesOf(HELD).find((one) => one.scenario === 'fanout' && one.contender === contender) ?? ({} as Series)),
    runs: [1, 2, 3, 4, 5].map((slow) => ({
      metrics: { ...HELD['fanout'], cpu_per_turn: times * slow * LOWER_BOUND },
      problems: [],
    })),
  });
  expect(pastLimits(['fanout'], [slower('skein', 11), slower('plain-encode', 1)])).toEqual([]);
  expect(pastLimits(['fanout'], [slower('skein', 12), slower('plain-encode', 1)])).toHaveLength(1);
});

test('a scenario that was not measured is told, and one that is not asked about is not', () => {
  expect(pastLimits(['parked'], [])).toEqual(['parked heap_per_thread: NaN, at most 8192']);
  expect(pastLimits([], [])).toEqual([]);
});

test('a scenario that is not there is told, and so is each of its limits', async () => {
  const told = await guard({ scenarios: [], entry: 'run.ts', scratch: '.', names: ['parked'] });
  expect(told).toEqual([
    'There is no scenario parked: what it costs is not known',
    'parked heap_per_thread: NaN, at most 8192',
  ]);
  const all = await guard({ scenarios: [], entry: 'run.ts', scratch: '.' });
  for (const name of NAMES) expect(all).toContain(`There is no scenario ${name}: what it costs is not known`);
});

test('each scenario with limits is one that ships', () => {
  const shipped = scenariosWith(BY_NAME, LIBRARIES_BY_NAME).map(({ name }) => name);
  expect(shipped).toEqual(expect.arrayContaining([...NAMES]));
});

test.each([
  [LOWER_BOUND, []],
  [5 * LOWER_BOUND, ['fanout cpu_per_turn says little here: the lower bound takes 40 µs a turn']],
])('with a lower bound of %d µs, what can not be seen is said', (bound, said) => {
  const lines = vi.mocked(console.log).mock.calls;
  lines.length = 0;
  const figures = { ...HELD, fanout: { ...HELD['fanout'], cpu_per_turn: 11 * bound } };
  const series = seriesOf(figures).map((one) =>
    one.contender === 'skein'
      ? one
      : { ...one, runs: one.runs.map((run) => ({ ...run, metrics: { cpu_per_turn: bound } })) },
  );
  expect(pastLimits(['fanout'], series)).toEqual([]);
  expect(lines.flat().filter((line) => String(line).includes('says little'))).toEqual(said);
});
