import { describe, expect, test } from 'vitest';
import { createHostBench, specWith } from '../../test/fixtures/host-bench.ts';
import type { Result } from '../core/result.ts';
import { suspendByUser } from './handle/create-handle.ts';
import type { ThreadEntry } from './rest/thread-table.ts';

describe('An order that is sent from inside an action', () => {
  test.each([
    ['SPAWN', { request: {} }],
    ['PREPARED', { spec: specWith(1) }],
    ['RESUME', {}],
  ] as const)('as %s behind a DRAIN is refused, not dropped', async (type, order) => {
    const bench = createHostBench();
    const entry = bench.spawn();
    const answers: Result<ThreadEntry>[] = [];
    const done = (answer: Result<ThreadEntry>): void => void answers.push(answer);
    // Whoever waits for the thread hears of its end while the action that ends it runs.
    entry.waiters = new Set([
      () => {
        bench.host.tell({ type: 'DRAIN', graceMs: 100 });
        bench.host.tell({ type, order: { ...order, entry, parent: undefined, done } });
      },
    ]);
    bench.end(entry);
    expect(answers).toMatchObject([{ ok: false, failure: { code: 'runtime_closed' } }]);
    expect(await bench.supervisor.stopped).toBeUndefined();
  });

  test('in a runtime that accepts is carried out after the action, in the order of sending', () => {
    const bench = createHostBench();
    const entry = bench.spawn();
    const seen: string[] = [];
    entry.waiters = new Set([
      () => {
        for (const name of ['first', 'second']) {
          const done = (): void => void seen.push(name);
          bench.host.tell({ type: 'PREPARED', order: { spec: specWith(1), parent: undefined, done } });
        }
        seen.push('action');
      },
    ]);
    bench.end(entry);
    bench.commit();
    expect(seen).toEqual(['action', 'first', 'second']);
  });
});

test('A thread that a person has asked to stop is not left for the next runtime to go on with', () => {
  const bench = createHostBench();
  const [asked, other] = [bench.spawn(), bench.spawn()];
  suspendByUser(bench.host, asked);
  const before = bench.sent.length;
  bench.host.tell({ type: 'DRAIN', graceMs: 100 });
  bench.clock.advance(100);
  expect(bench.sent.slice(before)).toEqual([
    { type: 'suspend', thread: asked.lineage.thread, reason: 'user', now: true },
    { type: 'suspend', thread: other.lineage.thread, reason: 'shutdown', now: true },
  ]);
});
