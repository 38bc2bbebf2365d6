import { describe, expect, test } from 'vitest';
import { createPaint } from './paint.ts';
import { textWidth } from './text-width.ts';
import { ratesBetween, type Sample } from './thread-sample.ts';
import { topLines } from './top-view.ts';

type Worker = { readonly number?: number; readonly turns: number; readonly events: number; readonly spend: number };

function sample(at: number, workers: readonly Worker[] | undefined, pid = 7): Sample {
  const states = { 'running.calling': 9_000, 'running.bad\u001B[2J': 1_000 };
  return {
    at,
    stopwatch: at,
    status: {
      threads: { running: 10_000, suspended: 12 },
      archived: 3,
      spend: 1.25,
      database: { path: 'threads.db', bytes: 2_000_000, archiveBytes: 0 },
      runtime: workers && {
        pid,
        running: 6,
        queued: 4,
        workers: workers.map((counts, number) => ({ number, threads: 10_000, states, ...counts })),
      },
    },
  };
}

const paint = createPaint({ stream: { write: () => true }, env: {} });
const BEFORE = sample(0, [{ turns: 10, events: 100, spend: 1 }]);
const NOW = sample(2_000, [{ turns: 30, events: 150, spend: 1.0002 }]);

const BUSY = { number: 0, turns: 50_000, events: 400_000, spend: 60 };
const LAZY = { number: 1, turns: 10, events: 20, spend: 1 };
const LAZY_LATER = { number: 1, turns: 12, events: 26, spend: 2 };
const SLOW = { turns: 1, events: 3, spend: 0.5 };

describe('Rates', () => {
  test.each([
    ['are of a second', BEFORE, NOW, { turns: 10, events: 25, spend: expect.closeTo(0.0001) }],
    ['are the same where the clock was moved back', BEFORE, { ...NOW, at: -3_600_000 }, ratesBetween(BEFORE, NOW)],
    ['are none at the first look', undefined, NOW, undefined],
    ['are none without a runtime', BEFORE, sample(2_000, undefined), undefined],
    ['are none from one runtime to another', BEFORE, sample(2_000, [{ turns: 0, events: 0, spend: 0 }], 8), undefined],
    ['are those of the workers that answered both times', sample(0, [BUSY, LAZY]), sample(2_000, [LAZY_LATER]), SLOW],
    [
      'are not of what a worker did before it answers again',
      sample(0, [LAZY]),
      sample(2_000, [BUSY, LAZY_LATER]),
      SLOW,
    ],
    ['are none where no worker answered both times', sample(0, [LAZY]), sample(2_000, [BUSY]), undefined],
    [
      'are never below 0, where another runtime of the process has begun',
      BEFORE,
      sample(2_000, [{ turns: 1, events: 0, spend: 0 }]),
      { turns: 0, events: 0, spend: 0 },
    ],
  ])('%s', (_, before, now, rates) => {
    expect(ratesBetween(before, now)).toEqual(rates);
  });
});

test('a look is a few lines with all that counts', () => {
  expect(topLines(BEFORE, NOW, { columns: 200, rows: 30, paint })).toEqual([
    '00:00:02 UTC  process 7 · 6 running · 4 queued',
    'threads  10,000 running · 12 suspended · 3 archived',
    'spend    $1.25 · $0.36/h',
    'rates    10.0 turns/s · 25.0 events/s',
    'database 2.0 MB',
    'worker  threads  turns/s  events/s    spend  states',
    String.raw`     0   10,000     10.0      25.0  $1.0002  9,000 running.calling, 1,000 running.bad\x1b[2J`,
  ]);
});

test('a runtime that tells nothing of itself is one that does not answer', () => {
  const silent = { ...NOW, status: { ...NOW.status, runtime: { pid: 7 } } };
  const [head] = topLines(undefined, silent, { columns: 200, rows: 30, paint });
  expect(head).toBe('00:00:02 UTC  process 7, which does not answer');
});

test('each worker has its own row, by its number, whichever others answer', () => {
  const rows = (before: readonly Worker[], now: readonly Worker[]): readonly string[] =>
    topLines(sample(0, before), sample(2_000, now), { columns: 40, rows: 30, paint })
      .slice(-now.length)
      .map((row) => row.replaceAll(/ +/g, ' ').trim());
  expect(rows([BUSY, LAZY], [LAZY_LATER])).toEqual([expect.stringMatching(/^1 10,000 1\.0 3\.0 /)]);
  expect(rows([LAZY], [BUSY, LAZY_LATER])).toEqual([
    expect.stringMatching(/^0 10,000 - - /),
    expect.stringMatching(/^1 10,000 1\.0 3\.0 /),
  ]);
});

test.each([
  [20, 4],
  [40, 8],
  [80, 12],
])('it fits %i columns and %i rows, whatever the number of workers', (columns, rows) => {
  const many = Array.from({ length: 64 }, () => ({ turns: 1, events: 1, spend: 1 }));
  const lines = topLines(undefined, sample(0, many), { columns, rows, paint });
  expect(lines.length).toBeLessThanOrEqual(rows);
  expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(columns);
  expect(lines.at(-1)).toMatch(rows > 4 ? /^… \d\d more workers$/ : /^database/);
});
