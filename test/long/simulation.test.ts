import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Runs, `SEEDS=100000` by hand. */
const SEEDS = Number(process.env['SEEDS'] ?? 1_000);
/** Others every day; `SEED=… SEEDS=1` repeats one exactly, and `TRACE=1` says all that happens in it. */
const SEED = Number(process.env['SEED'] ?? Math.floor(Date.now() / 86_400_000) * 1_000);
/** A run takes about a tenth of a second; a machine may be busy. */
const MS_PER_SEED = 900;
const SHARE = fileURLToPath(new URL('../simulation/share-process.ts', import.meta.url));

test(
  `every promise is kept in ${SEEDS} simulated runs, whatever fails and when`,
  { timeout: SEEDS * MS_PER_SEED + 60_000 },
  async () => {
    const shares = Math.min(availableParallelism(), SEEDS);
    const codes = await Promise.all(Array.from({ length: shares }, (_, at) => runShare(SEED + at, shares)));
    expect(codes).toEqual(codes.map(() => 0));
  },
);

/** Every so many seeds from the first one, in a process of their own, whose output says what fails: each run has one thread. */
async function runShare(first: number, step: number): Promise<unknown> {
  const [code] = await once(fork(SHARE, [first, SEED + SEEDS, step].map(String)), 'exit');
  return code;
}
