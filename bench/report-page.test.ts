import { describe, expect, test } from 'vitest';
import type { MachineInfo } from './machine.ts';
import { renderPage } from './report-page.ts';
import type { Result } from './results.ts';
import type { Report } from './stored.ts';

const machine: MachineInfo = { cores: 2, processor: 'a <fast> one', memoryGb: 8, platform: 'linux x64', node: 'v24' };

function result(contender: string, value: number): Result {
  const params = { threads: 10, turns: 3, llmMs: 0 };
  const spread = [value, value] as const;
  return { scenario: 'fanout', contender, params, metric: 'cpu_per_turn', value, unit: 'µs', spread, runs: 1 };
}

const state = { date: '2026-11-23T04:05:06.789Z', commit: '1234567' };
const leftOut = { ...state, case: '10 threads × 3 turns, 0 ms model', why: 'something was wrong with it' };
const reports = [{ ...state, machine, results: [result('skein', 100), result('langgraph', 900)] }];
const page = renderPage([{ reports, leftOut: [leftOut] }]);

test('the page has the machine, the picture of a scenario and its numbers', () => {
  expect(page).toContain('2 cores of a &lt;fast&gt; one');
  expect(page.match(/<svg /g)).toHaveLength(1);
  expect(page.match(/<rect [^>]*class="(?:skein|other)"/g)).toHaveLength(2);
  expect(page).toContain('<td>CPU per turn, µs</td><td>100.0</td><td>900.0</td>');
});

test('the page says when and of what it was measured, and which later run has failed', () => {
  expect(page).toContain(
    '<p>2026-11-23 04:05 UTC, 1234567; 2 cores of a &lt;fast&gt; one, 8 GB, linux x64, Node v24</p>',
  );
  expect(page).toMatch(
    /<p>Of a run \(2026-11-23 04:05 UTC, 1234567\) 10 threads × 3 turns, 0 ms model was not stored: something was wrong with it</,
  );
});

test('a missed target is marked, with day and commit', () => {
  expect(page).toMatch(
    /<tr class="missed"><td>langgraph ÷ skein: 9\.00, at least 12 \(goal 16\).*MISSED.*2026-11-23 04:05 UTC, 1234567/,
  );
});

describe('of two runs', () => {
  const earlier = { date: '2026-11-22T00:00:00.000Z', commit: 'earlier', machine };
  const later = { ...state, machine };

  /** The rows of targets, each as its text, mark and origin. */
  function targetsOf(...runs: readonly Report[]): string[][] {
    const [table = ''] = renderPage([{ reports: runs, leftOut: [] }]).split('</table>');
    return [...table.matchAll(/<tr[^>]*>(.*)<\/tr>/g)].map(([, row = '']) =>
      [...row.matchAll(/<td>(.*?)<\/td>/g)].map(([, cell = '']) => cell),
    );
  }

  function scale(threads: number, value: number): Result {
    const params = { threads, turns: 1, llmMs: 0 };
    return { ...result('skein', value), scenario: 'scale', metric: 'heap_per_thread', params };
  }

  test('contenders are compared within one run, the later one that has them', () => {
    const old = { ...earlier, results: [result('skein', 50), result('langgraph', 900)] };
    const [row, ...more] = targetsOf(old, { ...later, results: [result('skein', 100)] });
    expect(row).toEqual([expect.stringContaining('18.00'), 'goal reached', '2026-11-22 00:00 UTC, earlier']);
    expect(more).toEqual([]);
  });

  test('sizes that no run has both of are not compared, which is said', () => {
    const rows = targetsOf({ ...earlier, results: [scale(1_000, 5)] }, { ...later, results: [scale(100_000, 5)] });
    const name = 'heap of a live thread, 1000 against 100000 (scale: 1000 to 100000 threads)';
    expect(rows).toEqual([[`${name}: not of one run`, '', '']]);
  });

  test('a figure that both have is that of the later one', () => {
    const spawned = (value: number): Result => ({
      ...result('skein', value),
      scenario: 'spawn',
      metric: 'spawn_ratio',
    });
    const rows = targetsOf({ ...earlier, results: [spawned(2)] }, { ...later, results: [spawned(1)] });
    expect(rows).toEqual([[expect.stringContaining(': 1.00 '), 'reached', '2026-11-23 04:05 UTC, 1234567']]);
  });
});

test('the page needs nothing else, and follows the colours of its reader', () => {
  expect(page).not.toMatch(/<(?:script|link|img|iframe)\b|url\(|@import/);
  expect(page).toContain('prefers-color-scheme: dark');
});
