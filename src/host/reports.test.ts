import { describe, expect, test } from 'vitest';
import { createHostBench, endingOf, type HostBench } from '../../test/fixtures/host-bench.ts';
import type { WorkerReport } from '../core/protocol.ts';
import { createBackOffs } from './back-offs.ts';
import { createReportHandler } from './reports.ts';
import type { ThreadEntry } from './thread-table.ts';

describe('A runtime that closes while hooks run after the end of its last thread', () => {
  test('waits for them', async () => {
    const { bench, entry, report, isStopped } = open();
    endWithHooks(report, entry);
    bench.host.tell({ type: 'DRAIN', graceMs: 100 });
    await turn();
    expect(isStopped()).toBe(false);
    report({ type: 'hooksDone', thread: entry.lineage.thread });
    expect(await bench.supervisor.stopped).toBeUndefined();
    expect(bench.clock.pending()).toBe(1);
  });

  test('waits for them also if it was closing when the thread ended', async () => {
    const { bench, entry, report, isStopped } = open();
    bench.host.tell({ type: 'DRAIN', graceMs: 100 });
    endWithHooks(report, entry);
    await turn();
    expect(isStopped()).toBe(false);
    report({ type: 'hooksDone', thread: entry.lineage.thread });
    expect(await bench.supervisor.stopped).toBeUndefined();
  });

  test('waits no longer than its grace period', async () => {
    const { bench, entry, report } = open();
    endWithHooks(report, entry);
    bench.host.tell({ type: 'DRAIN', graceMs: 100 });
    bench.clock.advance(100);
    expect(await bench.supervisor.stopped).toBeUndefined();
  });

  test('does not wait for those that begin when the grace period is over', async () => {
    const { bench, entry, report } = open();
    bench.host.tell({ type: 'DRAIN', graceMs: 100 });
    bench.clock.advance(100);
    endWithHooks(report, entry);
    expect(await bench.supervisor.stopped).toBeUndefined();
  });
});

type Opened = {
  readonly bench: HostBench;
  readonly entry: ThreadEntry;
  readonly report: (report: WorkerReport) => void;
  readonly isStopped: () => boolean;
};

function open(): Opened {
  const bench = createHostBench();
  const entry = bench.spawn();
  const questions = { ask: notAsked, abandon: notAsked };
  const backOffs = createBackOffs(() => undefined);
  const handle = createReportHandler({ host: bench.host, questions, backOffs });
  let stopped = false;
  void bench.supervisor.stopped.then(() => (stopped = true));
  return { bench, entry, report: (report) => handle(0, report), isStopped: () => stopped };
}

function notAsked(): never {
  throw new Error('nothing is asked here');
}

function endWithHooks(report: Opened['report'], { lineage }: ThreadEntry): void {
  const ending = JSON.stringify(endingOf('completed'));
  report({ type: 'ended', thread: lineage.thread, ending, hooksLeft: true });
}

async function turn(): Promise<void> {
  await new Promise(setImmediate);
}
