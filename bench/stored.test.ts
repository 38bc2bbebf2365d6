import { expect, test } from 'vitest';
import { summarise, type Result } from './results.ts';
import { encodeStored, mergeResults, readStored, type Report, type Stored } from './stored.ts';

const machine = { cores: 2, processor: 'p', memoryGb: 8, platform: 'linux x64', node: 'v24' };
const NEW = { machine, date: '2026-11-23T04:00:00.000Z', commit: 'b' };
const FEW = '10 threads';
const MANY = '100 threads';

function resultsOf(contender: string, threads: number, ...walls: number[]): Result[] {
  const runs = walls.map((wall) => ({ metrics: { wall }, problems: [] }));
  return summarise({ scenario: 's', contender, params: { threads, turns: 1, llmMs: 0 }, runs });
}

/** Two contenders with few threads and one with many, three runs each. */
const OLD: Report = {
  machine,
  date: '2026-11-22T04:00:00.000Z',
  commit: 'a',
  results: [
    ...resultsOf('skein', 10, 1, 1, 1),
    ...resultsOf('other', 10, 2, 2, 2),
    ...resultsOf('skein', 100, 3, 3, 3),
  ],
};
const STORED: Stored = { reports: [OLD], leftOut: [] };

test('a run that has all of what is stored takes its place', () => {
  const results = [
    ...resultsOf('skein', 10, 5, 5, 5),
    ...resultsOf('other', 10, 6, 6, 6),
    ...resultsOf('skein', 100, 7, 7, 7),
  ];
  const fresh = { ...NEW, results, failed: new Set<string>() };
  expect(mergeResults(STORED, fresh)).toEqual({ reports: [{ ...NEW, results }], leftOut: [] });
});

// What it is compared with stays beside it: sizes and contenders of one run.
test.each([
  ['a case', [...resultsOf('skein', 10, 5, 5, 5), ...resultsOf('other', 10, 6, 6, 6)]],
  ['a contender', [...resultsOf('skein', 10, 5, 5, 5), ...resultsOf('skein', 100, 5, 5, 5)]],
])('a stored run that has %s more stays whole, and the new one is beside it', (_what, results) => {
  const both = mergeResults(STORED, { ...NEW, results, failed: new Set() });
  expect(both).toEqual({ reports: [OLD, { ...NEW, results }], leftOut: [] });
  const again = { ...NEW, date: '2026-11-24T04:00:00.000Z', results };
  expect(mergeResults(both, { ...again, failed: new Set() }).reports).toEqual([OLD, again]);
});

test.each([
  ['of fewer runs', [...resultsOf('skein', 10, 5), ...resultsOf('other', 10, 6, 6, 6)], [], 'skein had 1 of 3 runs'],
  [
    'in which something was wrong',
    [...resultsOf('skein', 10, 5, 5, 5), ...resultsOf('other', 10, 6, 6, 6)],
    [FEW],
    'something was wrong with it',
  ],
  ['that has failed altogether', [], [FEW], 'something was wrong with it'],
])('a case %s is not stored, and it is said why', (_what, few, failed, why) => {
  const { date, commit } = NEW;
  const many = resultsOf('skein', 100, 4, 4, 4);
  expect(mergeResults(STORED, { ...NEW, results: [...few, ...many], failed: new Set(failed) })).toEqual({
    reports: [OLD, { ...NEW, results: many }],
    leftOut: [{ case: FEW, date, commit, why }],
  });
});

test('a case that is full again is not said to be left out any more', () => {
  const less = mergeResults(STORED, { ...NEW, results: [], failed: new Set([MANY]) });
  const full = mergeResults(less, { ...NEW, results: resultsOf('skein', 100, 4, 4, 4), failed: new Set() });
  expect(full.leftOut).toEqual([]);
});

test('what is stored is read as it was written, and in the older form', () => {
  const text = encodeStored(STORED);
  expect(text).toContain('"spread": [1, 1]');
  expect(readStored(JSON.parse(text))).toEqual(STORED);
  const older = { machine, results: OLD.results };
  expect(readStored(older)).toEqual({ reports: [older], leftOut: [] });
});

test.each([
  { sessions: [] },
  { reports: {}, leftOut: [] },
  { reports: [{}], leftOut: [] },
  { machine: 'x' },
  [],
  null,
  5,
])('what is not of the bench is not taken for it: %j', (content) => {
  expect(readStored(content)).toBeUndefined();
});
