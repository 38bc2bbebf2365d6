import { expect, test } from 'vitest';
import { positionIn, ticksOf } from './timeline-scale.ts';

test.each([
  [400, [0, 100, 200, 300, 400]],
  [60_000, [0, 20_000, 40_000, 60_000]],
  [65_000, [0, 20_000, 40_000, 60_000]],
  [7_200_000, [0, 1_800_000, 3_600_000, 5_400_000, 7_200_000]],
  [0, [0]],
])('%d ms have round ticks', (toMs, since) => {
  const ticks = ticksOf({ fromMs: 0, toMs });
  expect(ticks.map(({ sinceMs }) => sinceMs).slice(0, since.length)).toEqual(since);
  expect(ticks.length).toBeLessThanOrEqual(6);
  expect(ticks.every(({ at }) => at >= 0 && at <= 1)).toBe(true);
});

test.each([
  [1_000, 0],
  [1_500, 0.5],
  [9_000, 1],
  [0, 0],
])('%d lies at %d between 1,000 and 2,000', (ms, at) => {
  expect(positionIn({ fromMs: 1_000, toMs: 2_000 }, ms)).toBe(at);
});
