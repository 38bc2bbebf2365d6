import { describe, expect, test } from 'vitest';
import { createHostBench, endingOf, type HostBench } from '../../../test/fixtures/host-bench.ts';
import { SkeinError } from '../../core/errors.ts';
import { decodeEvents, encodeEvent, type StoredEvent } from '../../core/events.ts';
import type { WorkerReport } from '../../core/protocol.ts';
import type { StoreReader } from '../../core/store.ts';
import { NOTHING_STORED } from '../../store/untouched.ts';
import { createBackOffs } from './back-offs.ts';
import { createReportHandler } from './reports.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

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

describe('A thread that its worker could not read back', () => {
  const unread = { failure: { code: 'invalid_item', message: 'gone' } } as const;

  test('is suspended, and its log says why', () => {
    const { bench, entry, report } = open();
    const events: StoredEvent[] = [];
    report({ type: 'resumeFailed', thread: entry.lineage.thread, ...unread });
    bench.commit((op) => {
      if (op.type === 'step') events.push(...decodeEvents(op.lines));
      return undefined;
    });
    expect(events).toMatchObject([
      { event_type: 'thread_suspended', payload: { suspend_reason: 'error', message: 'gone' } },
    ]);
    expect(entry).toMatchObject({ phase: 'suspended', suspendReason: 'error', worker: -1 });
    expect([bench.host.slots.taken(), bench.host.load, bench.problems]).toEqual([0, [0], [unread.failure]]);
  });

  test('is suspended also if its log takes nothing', () => {
    const { bench, entry, report } = open();
    report({ type: 'resumeFailed', thread: entry.lineage.thread, ...unread });
    bench.commit(() => ({ type: 'failed', failure: { code: 'store_failed', message: 'disk full' } }));
    expect(entry).toMatchObject({ phase: 'suspended', suspendReason: 'error' });
  });

  test('and that is cancelled before its suspension is written ends', () => {
    const { bench, entry, report } = open();
    const { thread } = entry.lineage;
    report({ type: 'resumeFailed', thread, ...unread });
    bench.host.tell({ type: 'CANCEL', thread, reason: 'no' });
    bench.commit();
    expect(entry).toMatchObject({ phase: 'ended', ending: { status: 'cancelled' } });
  });

  test('keeps a runtime that closes until its suspension is written', async () => {
    const { bench, entry, report, isStopped } = open();
    report({ type: 'resumeFailed', thread: entry.lineage.thread, ...unread });
    bench.host.tell({ type: 'DRAIN', graceMs: 100 });
    await turn();
    expect(isStopped()).toBe(false);
    bench.commit();
    expect(await bench.supervisor.stopped).toBeUndefined();
  });
});

describe('Events that were on their way to the store when somebody began to listen', () => {
  const chunks = [2, 3].map((sequence) => ({
    first: sequence,
    lines: encodeEvent({ sequence, event_type: 'checkpoint_saved', time: 0, payload: { turn: sequence } }),
  }));

  test('are read from there, as far as they have been reported', () => {
    const { entry, report, heard } = open({ logPage: () => chunks });
    report({ type: 'stored', thread: entry.lineage.thread, first: 2 });
    expect(heard).toEqual([2]);
    report({ type: 'stored', thread: entry.lineage.thread, first: 3 });
    expect(heard).toEqual([2, 3]);
  });

  test('are not read when nobody listens any more', () => {
    let reads = 0;
    const { entry, report, stop } = open({ logPage: () => (reads++, chunks) });
    stop();
    report({ type: 'stored', thread: entry.lineage.thread, first: 2 });
    expect(reads).toBe(0);
  });

  test('and that can not be read are a problem of the runtime, not of its worker', () => {
    const failure = { code: 'store_corrupt', message: 'torn page' } as const;
    const logPage = (): never => {
      throw new SkeinError(failure.code, failure.message);
    };
    const { bench, entry, report, heard } = open({ logPage });
    report({ type: 'stored', thread: entry.lineage.thread, first: 2 });
    expect([bench.problems, heard]).toEqual([[failure], []]);
  });
});

test('A secret that a worker comes upon is told to all', () => {
  const { report, secrets } = open();
  report({ type: 'secretFound', value: 'abcd-1234' });
  expect(secrets).toEqual(['abcd-1234']);
});

type Opened = {
  readonly bench: HostBench;
  readonly entry: ThreadEntry;
  readonly report: (report: WorkerReport) => void;
  readonly isStopped: () => boolean;
  /** Numbers of the thread's events that its listener has heard. */
  readonly heard: readonly (number | undefined)[];
  readonly secrets: readonly string[];
  /** The listener leaves. */
  readonly stop: () => void;
};

function open(stored: Partial<StoreReader> = {}): Opened {
  const bench = createHostBench({}, { reader: { ...NOTHING_STORED, ...stored } });
  const entry = bench.spawn();
  const heard: (number | undefined)[] = [];
  const stop = bench.host.feed.listen(entry, {
    event: ({ sequence }) => void heard.push(sequence),
    ended: () => undefined,
  });
  const questions = { ask: notAsked, abandon: notAsked, lost: notAsked, close: notAsked };
  const backOffs = createBackOffs(() => undefined);
  const secrets: string[] = [];
  const secretFound = (value: string): void => void secrets.push(value);
  const handle = createReportHandler({ host: bench.host, questions, backOffs, gone: notAsked, secretFound });
  let stopped = false;
  void bench.supervisor.stopped.then(() => (stopped = true));
  return { bench, entry, report: (report) => handle(0, report), isStopped: () => stopped, heard, stop, secrets };
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
