import { describe, expect, test } from 'vitest';
import { createHandClock } from '../../test/conformance/hand-clock.ts';
import { SkeinError, type SkeinErrorCode } from '../core/errors.ts';
import { looks } from './looks.ts';

/** Looks of which each comes to what `take` says, for somebody who leaves after so many; how long is waited after each. */
async function waits(most: number, take: (work: (ms: number) => void) => Promise<void>) {
  const clock = createHandClock();
  const waited: number[] = [];
  let seen = 0;
  const leaving = {
    hasLeft: () => waited.length === most,
    unlessLeft: <Done>(work: () => Promise<Done>): Promise<Done> => work(),
    wait: async (ms: number) => void waited.push(ms),
  };
  const look = (): Promise<true> => take((ms) => clock.advance(ms)).then(() => true);
  for await (const _ of looks(look, { intervalMs: 1_000, leaving, workedMs: clock.stopwatch })) seen++;
  return { waited, seen };
}

describe('Looks', () => {
  test.each([
    ['come at their interval where they take little', 20, [1_000, 1_000, 1_000]],
    ['are fewer where they take much, but for what only the first one does', 500, [1_000, 5_000, 5_000]],
  ])('%s', async (_, workMs, waited) => {
    expect(await waits(3, async (work) => work(workMs))).toEqual({ waited, seen: 3 });
  });

  test.each<SkeinErrorCode>(['runtime_closed', 'deadline_exceeded'])(
    'go on where a runtime does not say how it stands: %s',
    async (code) => {
      let asked = 0;
      const take = async (): Promise<void> => {
        if (asked++ === 1) throw new SkeinError(code, 'not now');
      };
      expect(await waits(3, take)).toEqual({ waited: [1_000, 1_000, 1_000], seen: 2 });
    },
  );

  test('end with what else goes wrong', async () => {
    const failing = waits(3, () => Promise.reject(new SkeinError('store_failed', 'broken')));
    await expect(failing).rejects.toMatchObject({ code: 'store_failed' });
  });
});
