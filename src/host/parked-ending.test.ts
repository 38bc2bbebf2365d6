import { describe, expect, test } from 'vitest';
import { createHostBench, type HostBench } from '../../test/fixtures/host-bench.ts';
import type { StoreOp } from '../core/store.ts';
import { suspendParked } from './parked-ending.ts';
import type { ThreadEntry } from './thread-table.ts';

describe('A thread in line', () => {
  test('that is suspended twice is suspended once', () => {
    const { bench, entry } = inLine();
    suspendParked(bench.host, entry, 'user');
    suspendParked(bench.host, entry, 'user');
    expect(written(bench)).toEqual(['suspended']);
    expect([entry.phase, bench.problems]).toEqual(['suspended', []]);
  });

  test('that is cancelled while it is being suspended ends after that', () => {
    const { bench, entry } = inLine();
    suspendParked(bench.host, entry, 'user');
    bench.host.tell({ type: 'CANCEL', thread: entry.lineage.thread, reason: 'no' });
    expect(written(bench)).toEqual(['suspended', 'cancelled']);
    expect([entry.phase, bench.problems]).toEqual(['ended', []]);
  });

  test('that is suspended while its cancellation is being written ends', () => {
    const { bench, entry } = inLine();
    bench.host.tell({ type: 'CANCEL', thread: entry.lineage.thread, reason: 'no' });
    suspendParked(bench.host, entry, 'user');
    expect(written(bench)).toEqual(['cancelled']);
    expect(entry.phase).toBe('ended');
  });
});

function inLine(): { readonly bench: HostBench; readonly entry: ThreadEntry } {
  const bench = createHostBench({ concurrency: { max_total_threads: 1 } });
  bench.spawn();
  return { bench, entry: bench.spawn() };
}

/** Lets the store answer; returns the statuses it was given. */
function written(bench: HostBench): string[] {
  const statuses: string[] = [];
  bench.commit((op: StoreOp) => {
    if (op.type === 'step' && op.status) statuses.push(op.status.to);
    return undefined;
  });
  return statuses;
}
