import { expect, test } from 'vitest';
import type { MachineInfo } from './machine.ts';
import { renderPage } from './report-page.ts';
import type { Result } from './results.ts';

const machine: MachineInfo = { cores: 2, processor: 'a <fast> one', memoryGb: 8, platform: 'linux x64', node: 'v24' };

function result(contender: string, value: number): Result {
  const params = { threads: 10, turns: 3, llmMs: 0 };
  const spread = [value, value] as const;
  return { scenario: 'fanout', contender, params, metric: 'cpu_per_turn', value, unit: 'µs', spread, runs: 1 };
}

const state = { date: '2026-11-23T04:05:06.789Z', commit: '1234567' };
const kept = { ...state, case: '10 threads × 3 turns, 0 ms model', why: 'something was wrong with it' };
const reports = [{ ...state, machine, results: [result('skein', 100), result('langgraph', 900)] }];
const page = renderPage([{ reports, kept: [kept] }]);

test('the page has the machine, the picture of a scenario and its numbers', () => {
  expect(page).toContain('2 cores of a &lt;fast&gt; one');
  expect(page.match(/<svg /g)).toHaveLength(1);
  expect(page.match(/<rect [^>]*class="(?:skein|other)"/g)).toHaveLength(2);
  expect(page).toContain('<td>CPU per turn, µs</td><td>100.0</td><td>900.0</td>');
});

test('the page says when and of what it was measured, and which later run has failed', () => {
  expect(page).toContain('<p>2026-11-23 04:05 UTC, 1234567: 10 threads × 3 turns, 0 ms model</p>');
  expect(page).toMatch(
    /<p>A later run \(2026-11-23 04:05 UTC, 1234567\) has not replaced .*: something was wrong with it</,
  );
});

test('a missed target is marked', () => {
  expect(page).toMatch(/<tr class="missed"><td>langgraph ÷ skein: 9\.00, at least 12 \(goal 16\).*MISSED/);
});

test('the page needs nothing else, and follows the colours of its reader', () => {
  expect(page).not.toMatch(/<(?:script|link|img|iframe)\b|url\(|@import/);
  expect(page).toContain('prefers-color-scheme: dark');
});
