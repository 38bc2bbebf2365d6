import { describe, expect, test } from 'vitest';
import { createRefresher } from './refresher.ts';

/** A refresher whose clock and reads are driven by hand. */
function start() {
  let nowMs = 0;
  let timer: { atMs: number; run: () => void } | undefined;
  const reads: (() => void)[] = [];
  const refresher = createRefresher({
    read: () => new Promise((done) => reads.push(done)),
    everyMs: 1_000,
    now: () => nowMs,
    after(ms, run) {
      timer = { atMs: nowMs + ms, run };
      return () => (timer = undefined);
    },
  });
  const passTo = async (ms: number): Promise<void> => {
    nowMs = ms;
    if (timer && timer.atMs <= ms) {
      const { run } = timer;
      timer = undefined;
      run();
    }
    await Promise.resolve();
  };
  const finish = async (at: number): Promise<void> => {
    reads[at]?.();
    await new Promise((done) => setTimeout(done, 0));
  };
  return { refresher, reads, passTo, finish };
}

describe('What is read again', () => {
  test('is read at once at first, and once for many wakings', async () => {
    const { refresher, reads, passTo } = start();
    refresher.wake();
    refresher.wake();
    await passTo(0);
    expect(reads).toHaveLength(1);
  });

  test('is read again after a while if it was woken while it was read', async () => {
    const { refresher, reads, passTo, finish } = start();
    refresher.wake();
    await passTo(0);
    refresher.wake();
    refresher.wake();
    await finish(0);
    await passTo(999);
    expect(reads).toHaveLength(1);
    await passTo(1_000);
    expect(reads).toHaveLength(2);
  });

  test('is left alone when nothing woke it', async () => {
    const { refresher, reads, passTo, finish } = start();
    refresher.wake();
    await passTo(0);
    await finish(0);
    await passTo(9_000);
    expect(reads).toHaveLength(1);
  });

  test('is not read any more when it was closed, not even if it was just read', async () => {
    const { refresher, reads, passTo, finish } = start();
    refresher.wake();
    await passTo(0);
    refresher.wake();
    refresher.close();
    await finish(0);
    refresher.wake();
    await passTo(9_000);
    expect(reads).toHaveLength(1);
  });
});
