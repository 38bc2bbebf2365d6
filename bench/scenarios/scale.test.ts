import { expect, test } from 'vitest';
import { measureLive } from './scale.ts';

const LATE = ['the first calls had ended before all threads were live and counted'];

test.each([
  { machine: 'is quick', needsMs: 1_500, calls: [2_000], late: [] },
  { machine: 'is slow', needsMs: 5_000, calls: [2_000, 8_000], late: [] },
  { machine: 'is far too slow', needsMs: 60_000, calls: [2_000, 8_000, 32_000], late: LATE },
])('where a machine $machine calls take $calls ms in turn', async ({ needsMs, calls, late }) => {
  const tried: number[] = [];
  const measured = await measureLive(100, async (llmMs) => {
    tried.push(llmMs);
    return { measured: { metrics: { wall: llmMs }, problems: ['of the work'] }, late: llmMs < needsMs ? LATE : [] };
  });
  expect(tried).toEqual(calls);
  expect(measured).toEqual({ metrics: { wall: calls.at(-1) }, problems: ['of the work', ...late] });
});
