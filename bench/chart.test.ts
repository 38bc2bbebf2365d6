import { XMLValidator } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { renderChart } from './chart.ts';
import type { Result } from './results.ts';

function bar(contender: string, value: number, llmMs = 0): Result {
  const params = { threads: 10, turns: 3, llmMs };
  const base = { scenario: 'fanout', metric: 'cpu_per_turn', unit: 'µs', runs: 3 };
  return { ...base, contender, params, value, spread: [value / 2, value * 2] };
}

test('the chart is well-formed and has a bar per contender and case', () => {
  const svg = renderChart([bar('a', 1), bar('b', 2), bar('a', 3, 100)], 'cpu_per_turn');
  expect(XMLValidator.validate(svg)).toBe(true);
  expect(svg.match(/<line /g)).toHaveLength(3);
});

test('names are escaped', () => {
  const svg = renderChart([bar('<script>&"', 1)], 'cpu_per_turn');
  expect(XMLValidator.validate(svg)).toBe(true);
  expect(svg).toContain('&lt;script&gt;&amp;&quot;');
});

test('no bar and no text of a value leaves the picture', () => {
  const svg = renderChart([bar('a', 1), bar('b', 1e6)], 'cpu_per_turn');
  const ends = [...svg.matchAll(/x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/g)].map(
    ([, x, width]) => Number(x) + Number(width),
  );
  expect(Math.max(...ends)).toBeLessThan(760);
});

test('without results there is an empty picture', () => {
  expect(XMLValidator.validate(renderChart([], 'cpu_per_turn'))).toBe(true);
});
