import { describe, expect, test } from 'vitest';
import { comingBack, createHostBench, type HostBench } from '../../../test/fixtures/host-bench.ts';
import type { ThreadNo } from '../../core/ids.ts';
import { suspendByUser } from '../handle/create-handle.ts';

/** Numbers of the threads that the host ends by itself when the store has written that. */
function endedByHost(bench: HostBench): ThreadNo[] {
  const ended: ThreadNo[] = [];
  bench.commit((op) => {
    if (op.type === 'step' && op.status?.to === 'cancelled') ended.push(op.thread);
    return undefined;
  });
  return ended;
}

describe('A thread that hands over', () => {
  test('leaves its slot to its successor, before anybody who stands in line', () => {
    const bench = createHostBench({ concurrency: { max_total_threads: 1 } });
    const [first, waiting] = [bench.spawn(), bench.spawn()];
    const next = bench.handOver(first);
    expect([first.phase, next.phase, waiting.phase]).toEqual(['ended', 'running', 'queued']);
    expect(bench.started()).toEqual([first.lineage.thread, next.lineage.thread]);
    expect([bench.host.load, bench.host.slots.taken()]).toEqual([[1], 1]);
    bench.end(next);
    expect(bench.started().at(-1)).toBe(waiting.lineage.thread);
  });

  test('while its runtime closes leaves its successor suspended if a person has asked for that', () => {
    const bench = createHostBench();
    const entry = bench.spawn();
    suspendByUser(bench.host, entry);
    bench.host.tell({ type: 'DRAIN', graceMs: 1_000 });
    const next = bench.handOver(entry);
    bench.commit();
    expect(next).toMatchObject({ phase: 'suspended', suspendReason: 'user' });
    expect(bench.started()).toEqual([entry.lineage.thread]);
  });

  test('leaves its worker once its successor has one: what is for suspects alone does not end in between', () => {
    const done: string[] = [];
    const placeFor = (): number => {
      done.push('placed');
      return 0;
    };
    const bench = createHostBench({}, { crew: { placeFor, left: () => void done.push('left') } });
    bench.handOver(bench.spawn());
    expect(done).toEqual(['placed', 'placed', 'left']);
  });

  test.each([
    ['alone', {}],
    ['with all below it', { whole: { meets: () => undefined } }],
  ])('has its successor killed if that was asked meanwhile (%s), and nobody starts', (_how, how) => {
    const bench = createHostBench();
    const parent = bench.spawn();
    const child = bench.spawn({ parent });
    bench.host.tell({ type: 'CANCEL', thread: parent.lineage.thread, reason: 'enough', ...how });
    const next = bench.handOver(parent);
    expect(bench.cancelled()).toEqual([parent.lineage.thread, child.lineage.thread]);
    expect(endedByHost(bench)).toEqual([next.lineage.thread]);
    expect([next.phase, next.ending?.status]).toEqual(['ended', 'cancelled']);
    expect(bench.started()).toEqual([parent.lineage.thread, child.lineage.thread]);
    bench.end(child, 'cancelled');
    expect([bench.host.load, bench.host.slots.taken()]).toEqual([[0], 0]);
  });

  test('is killed in its successor when it is named afterwards, with what it had started', () => {
    const bench = createHostBench();
    const parent = bench.spawn();
    const child = bench.spawn({ parent });
    const next = bench.handOver(parent);
    bench.host.tell({
      type: 'CANCEL',
      thread: parent.lineage.thread,
      reason: 'enough',
      whole: { meets: () => undefined },
    });
    expect(bench.cancelled()).toEqual([next.lineage.thread, child.lineage.thread]);
  });

  test('has its successor suspended if that was asked meanwhile', () => {
    const bench = createHostBench();
    const first = bench.spawn();
    first.suspendAsked = 'user';
    const next = bench.handOver(first);
    const told = bench.sent.slice(-2).map(({ type }) => type);
    expect([told, next.suspendAsked]).toEqual([['resume', 'suspend'], 'user']);
    bench.host.tell({ type: 'SUSPENDED', thread: next.lineage.thread, reason: 'user', cost: undefined });
    expect([next.phase, bench.host.load, bench.host.slots.taken()]).toEqual(['suspended', [0], 0]);
  });

  test('in a runtime that closes starts nobody, and keeps it from stopping no longer', async () => {
    const bench = createHostBench();
    const first = bench.spawn();
    bench.supervisor.send({ type: 'DRAIN', graceMs: 60_000 });
    const next = bench.handOver(first);
    expect([first.phase, next.phase, next.order]).toEqual(['ended', 'queued', undefined]);
    expect(bench.started()).toEqual([first.lineage.thread]);
    expect(await bench.supervisor.stopped).toBeUndefined();
  });

  test('in a runtime that closes leaves its slot to who comes back from a wait', () => {
    const bench = createHostBench({ concurrency: { max_total_threads: 1 } });
    const [waiting, handing] = [bench.spawn(), bench.spawn()];
    const answers = comingBack(bench, waiting);
    bench.host.tell({ type: 'DRAIN', graceMs: 60_000 });
    bench.handOver(handing);
    expect([answers, waiting.phase, bench.host.slots.taken()]).toEqual([['answered'], 'running', 1]);
  });

  test('in a runtime that closes has its successor end if it was cancelled', async () => {
    const bench = createHostBench();
    const first = bench.spawn();
    bench.host.tell({ type: 'CANCEL', thread: first.lineage.thread, reason: 'enough' });
    bench.supervisor.send({ type: 'DRAIN', graceMs: 60_000 });
    const next = bench.handOver(first);
    expect(endedByHost(bench)).toEqual([next.lineage.thread]);
    expect(await bench.supervisor.stopped).toBeUndefined();
  });

  test('is told of twice without harm', () => {
    const bench = createHostBench();
    const first = bench.spawn();
    const next = bench.handOver(first);
    expect(bench.handOver(first)).toBe(next);
    expect([bench.host.load, bench.host.slots.taken()]).toEqual([[1], 1]);
  });
});
