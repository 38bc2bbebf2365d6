import { describe, expect, test } from 'vitest';
import { createHostBench, type HostBench } from '../../../test/fixtures/host-bench.ts';
import type { Result } from '../../core/result.ts';
import type { StoreResult } from '../../core/store.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { wake } from '../waits/waiters.ts';
import { askHandOver } from './ask-hand-over.ts';

const DISK_FULL: StoreResult = { type: 'failed', failure: { code: 'store_failed', message: 'disk full' } };

type Asked = Promise<Result<ThreadEntry | undefined>>;

function ask({ host }: HostBench, entry: ThreadEntry, wait = true, isStopped = (): boolean => false): Asked {
  return askHandOver(host, entry, { wait, isStopped });
}

function suspend({ host }: HostBench, entry: ThreadEntry): void {
  host.tell({ type: 'SUSPENDED', thread: entry.lineage.thread, reason: 'user', cost: undefined });
}

function resume(bench: HostBench, entry: ThreadEntry): void {
  const order = { entry, message: undefined, limits: undefined, done: () => undefined };
  bench.host.tell({ type: 'RESUME', order });
  bench.commit();
}

/** What the worker was told, without what it was started with. */
function told(bench: HostBench): string[] {
  return bench.sent.map(({ type }) => type).filter((type) => type !== 'start');
}

describe('Whoever asks for a hand-over', () => {
  test('hears who has taken over', async () => {
    const bench = createHostBench();
    const entry = bench.spawn();
    const asked = ask(bench, entry);
    expect(told(bench)).toEqual(['handOver']);
    const successor = bench.handOver(entry);
    expect(await asked).toEqual({ ok: true, value: successor });
  });

  test('need not wait for it', async () => {
    const bench = createHostBench();
    const entry = bench.spawn();
    expect(await ask(bench, entry, false)).toEqual({ ok: true, value: undefined });
    expect([told(bench), entry.phase]).toEqual([['handOver'], 'running']);
  });

  test('asks the last one of those that took over', async () => {
    const bench = createHostBench();
    const entry = bench.spawn();
    const successor = bench.handOver(entry);
    await ask(bench, entry, false);
    expect(bench.sent.at(-1)).toEqual({ type: 'handOver', thread: successor.lineage.thread });
  });

  test.each<[string, (bench: HostBench, entry: ThreadEntry) => void, string]>([
    ['has ended', (bench, entry) => bench.end(entry), 'has ended: it has nothing to hand over'],
    [
      'is being cancelled',
      (bench, { lineage }) => bench.host.tell({ type: 'CANCEL', thread: lineage.thread, reason: 'no' }),
      'is being cancelled: it has nothing to hand over',
    ],
  ])('of a thread that %s is refused, and the thread hears nothing of it', async (_how, change, message) => {
    const bench = createHostBench();
    const entry = bench.spawn();
    change(bench, entry);
    expect(await ask(bench, entry, false)).toMatchObject({
      failure: { code: 'thread_ended', message: expect.stringContaining(message) },
    });
    expect(told(bench)).not.toContain('handOver');
  });

  test.each<[string, (bench: HostBench, entry: ThreadEntry) => void, string, string]>([
    ['ends', (bench, entry) => bench.end(entry), 'thread_ended', 'has ended: it has nothing to hand over'],
    ['is suspended', suspend, 'invalid_argument', 'was suspended: it hands over when it goes on'],
  ])('of a thread that %s before its next step hears that', async (_how, change, code, message) => {
    const bench = createHostBench();
    const entry = bench.spawn();
    const asked = ask(bench, entry);
    change(bench, entry);
    expect(await asked).toMatchObject({ failure: { code, message: expect.stringContaining(message) } });
  });

  test('hears that its runtime has stopped before that', async () => {
    const bench = createHostBench();
    const entry = bench.spawn();
    let isStopped = false;
    const asked = ask(bench, entry, true, () => isStopped);
    isStopped = true;
    wake(entry);
    expect(await asked).toMatchObject({ failure: { code: 'runtime_closed' } });
  });
});

describe('A thread that was asked to hand over', () => {
  test('and was suspended before that is told once more when it goes on', async () => {
    const bench = createHostBench();
    const entry = bench.spawn();
    await ask(bench, entry, false);
    suspend(bench, entry);
    resume(bench, entry);
    expect(told(bench)).toEqual(['handOver', 'resume', 'handOver']);
  });

  test('while it is suspended goes on for that', async () => {
    const bench = createHostBench();
    const entry = bench.spawn();
    suspend(bench, entry);
    const asked = ask(bench, entry);
    bench.commit();
    expect(told(bench)).toEqual(['resume', 'handOver']);
    // Whoever asked looks at it once more when it stands in line.
    await Promise.resolve();
    const successor = bench.handOver(entry);
    expect(await asked).toEqual({ ok: true, value: successor });
  });

  test('and could not go on for that is asked no more: it goes on as it was', async () => {
    const bench = createHostBench();
    const entry = bench.spawn();
    suspend(bench, entry);
    const asked = ask(bench, entry);
    bench.commit(() => DISK_FULL);
    expect(await asked).toMatchObject({ failure: { code: 'store_failed' } });
    resume(bench, entry);
    expect([told(bench), entry.phase]).toEqual([['resume'], 'running']);
  });

  test('twice at once, and could not go on for either, is asked no more', async () => {
    const bench = createHostBench();
    const entry = bench.spawn();
    suspend(bench, entry);
    bench.host.parking.set(entry, undefined);
    const refused = { failure: { message: expect.stringContaining('just being ended') } };
    expect(await Promise.all([ask(bench, entry), ask(bench, entry)])).toMatchObject([refused, refused]);
    bench.host.parking.delete(entry);
    resume(bench, entry);
    expect([told(bench), entry.phase]).toEqual([['resume'], 'running']);
  });

  test('hands over for whoever asked first, also if somebody is refused who asks while it is resumed for that', async () => {
    const bench = createHostBench();
    const entry = bench.spawn();
    suspend(bench, entry);
    const first = ask(bench, entry);
    expect(await ask(bench, entry)).toMatchObject({ failure: { message: expect.stringContaining('resumed already') } });
    bench.commit();
    expect(told(bench)).toEqual(['resume', 'handOver']);
    await Promise.resolve();
    const successor = bench.handOver(entry);
    expect(await first).toEqual({ ok: true, value: successor });
  });
});
