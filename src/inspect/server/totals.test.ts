import { expect, test } from 'vitest';
import { createTotals } from './totals.ts';

const CLOCK = { now: () => 0, stopwatch: () => 0 };

test('Totals are counted again after the store could not be read, and once for all who ask meanwhile', async () => {
  let isBroken = true;
  let counted = 0;
  const window = {
    version: () => {
      if (isBroken) throw new Error('the store is busy');
      return 1;
    },
    tally: () => Promise.resolve({ counts: {}, threads: ++counted, turns: 0, spend: 0 }),
  };
  const totals = createTotals(window, CLOCK);
  await expect(totals.of('all')).rejects.toThrow('busy');
  isBroken = false;
  expect(await Promise.all([totals.of('all'), totals.of('all')])).toMatchObject([{ threads: 1 }, { threads: 1 }]);
});
