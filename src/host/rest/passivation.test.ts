import { describe, expect, test } from 'vitest';
import {
  createHostBench,
  wholeSpecWith,
  suspendedRow,
  type HostBench,
  type Resilience,
} from '../../../test/fixtures/host-bench.ts';
import type { ThreadId, ThreadNo } from '../../core/ids.ts';
import { NO_COST } from '../../core/limits.ts';
import type { StoreReader, ThreadRow } from '../../core/store.ts';
import { NOTHING_STORED } from '../../store/untouched.ts';
import { findEntry, readBack } from './find-entry.ts';
import { createThreadTable, type ThreadEntry } from './thread-table.ts';
import { createOperations, type Operations } from '../operations/dispatcher.ts';
import { liveThreads } from '../operations/live-threads.ts';
import { createWaitFollowing } from '../operations/wait-following.ts';
import { addWaiter } from '../waits/waiters.ts';

/** Threads that stand in line before those that are let go of. */
const READY = 1_000;

describe('A suspended thread', () => {
  test('leaves memory, and goes on from its row', () => {
    const { bench, suspend, find, collect } = open();
    const { thread } = suspend(bench.spawn()).lineage;
    collect();
    expect(bench.host.table.get(thread)).toBeUndefined();
    resume(bench, find(thread));
    bench.commit();
    expect(bench.host.table.get(thread)?.phase).toBe('running');
    expect(bench.sent.at(-1)).toMatchObject({ type: 'resume', lineage: { thread } });
  });

  test('stays while somebody waits for it', () => {
    const { bench, suspend, collect } = open();
    const entry = suspend(bench.spawn());
    const ended: unknown[] = [];
    const follow = createWaitFollowing({
      host: bench.host,
      recall: (threadId) => ({ threadId: threadId as ThreadId, status: 'not_found', ending: undefined }),
      isStopped: () => false,
    });
    follow({
      threadIds: [entry.lineage.threadId, bench.spawn().lineage.threadId],
      timeoutMs: undefined,
      until: 'all',
      isVisible: () => true,
      done: (answer) => ended.push(answer),
    });
    collect();
    expect(bench.host.table.get(entry.lineage.thread)).toBe(entry);
  });

  test('is cancelled with its parent, though nobody has it in memory', () => {
    const { bench, suspend, collect } = open();
    const parent = bench.spawn();
    const child = suspend(bench.spawn({ parent }));
    const grandchild = child.lineage.thread;
    collect();
    expect(bench.host.table.get(grandchild)).toBeUndefined();
    bench.host.tell({ type: 'CANCEL', thread: parent.lineage.thread, reason: 'enough' });
    bench.commit();
    expect(bench.host.table.get(grandchild)?.ending?.status).toBe('cancelled');
    expect(parent.liveChildren).toBe(0);
  });

  test('is read back in slices when it is cancelled with many others', async () => {
    const { bench, suspend, collect } = open({ concurrency: { max_total_threads: 500, max_concurrent_children: 500 } });
    const parent = bench.spawn({ spawns: 200 });
    const children = Array.from({ length: 60 }, () => suspend(bench.spawn({ parent })).lineage.thread);
    collect();
    const inMemory = (): number => children.filter((thread) => bench.host.table.get(thread)).length;
    bench.host.tell({ type: 'CANCEL', thread: parent.lineage.thread, reason: 'enough' });
    expect([inMemory(), bench.host.cancelling.size]).toEqual([25, 1]);
    while (bench.host.cancelling.size > 0) await new Promise(setImmediate);
    bench.commit();
    expect(children.map((thread) => bench.host.table.get(thread)?.ending?.status)).toEqual(
      children.map(() => 'cancelled'),
    );
  });

  test('is read back in slices when it is killed with many others, all of which are counted', async () => {
    const { bench, suspend, collect } = open({ concurrency: { max_total_threads: 500, max_concurrent_children: 500 } });
    const parent = bench.spawn({ spawns: 200 });
    const { threadId } = parent.lineage;
    const children = Array.from({ length: 60 }, () => suspend(bench.spawn({ parent })).lineage.thread);
    collect();
    const killed = operationsOf(bench).call('kill_thread', { thread_id: threadId });
    expect(children.filter((thread) => bench.host.table.get(thread))).toHaveLength(25);
    while (bench.host.cancelling.size > 0) await new Promise(setImmediate);
    bench.commit();
    bench.end(parent, 'cancelled');
    expect(await killed).toEqual({ success: true, killed: threadId, threads: 61 });
  });

  test('is read back in slices when a thread asks what is active below it', async () => {
    const { bench, suspend, collect } = open({ concurrency: { max_total_threads: 500, max_concurrent_children: 500 } });
    const parent = bench.spawn({ spawns: 200 });
    const children = Array.from({ length: 60 }, () => bench.spawn({ parent }));
    const last = children.at(-1);
    const running = [last, bench.spawn({ parent: last })].map((one) => one?.lineage.threadId);
    const suspended = children.slice(0, -1).map((child) => suspend(child).lineage.thread);
    collect();
    const answer = operationsOf(bench).call('list_active', {}, { caller: parent.lineage.thread });
    expect(suspended.filter((thread) => bench.host.table.get(thread))).toHaveLength(25);
    expect(await answer).toEqual({ success: true, active_threads: running, count: 2 });
  });

  test('is not read back when its parent goes on: nothing has interrupted it', () => {
    const { bench, suspend, collect } = open();
    const parent = bench.spawn();
    const { thread } = suspend(bench.spawn({ parent })).lineage;
    suspend(parent);
    addWaiter(bench.host.table, parent, () => undefined);
    collect();
    resume(bench, parent);
    bench.commit();
    expect([parent.phase, bench.host.table.get(thread)]).toEqual(['running', undefined]);
  });

  test.each([
    [100, 'leaves memory'],
    [101, 'stays: reading it back counts them all'],
  ])('that had %i below it, all of which have ended, %s', (count, how) => {
    const { bench, suspend, collect } = open({ concurrency: { max_total_threads: 500 } });
    const parent = bench.spawn({ spawns: 200 });
    for (let no = 0; no < count; no++) bench.end(bench.spawn({ parent }));
    suspend(parent);
    collect();
    expect(bench.host.table.get(parent.lineage.thread)).toBe(how === 'leaves memory' ? undefined : parent);
  });

  test('is one child of its parent, however often it is read back', () => {
    const { bench, suspend, find, collect } = open();
    const parent = bench.spawn();
    const { thread } = suspend(bench.spawn({ parent })).lineage;
    for (let round = 0; round < 3; round++) {
      collect();
      resume(bench, find(thread));
      suspend(find(thread));
    }
    expect([parent.liveChildren, [...(parent.children ?? [])], parent.treeSpawned]).toEqual([1, [thread], 1]);
  });

  test('counts what is below it in its parent again, when both come back', () => {
    const { bench, suspend, find, collect } = open();
    const parent = bench.spawn();
    const { thread } = suspend(bench.spawn({ parent })).lineage;
    suspend(parent);
    collect();
    expect(bench.host.table.get(parent.lineage.thread)).toBeUndefined();
    const child = find(thread);
    const again = bench.host.table.parentOf(child);
    expect(again).toMatchObject({ phase: 'suspended', liveChildren: 1, treeSpawned: 1, spawnLimit: 7 });
  });
});

describe('A long line', () => {
  test('holds its first thousand threads, and nothing but numbers of the others', () => {
    const { bench, collect } = open({ concurrency: { max_total_threads: 1 } });
    const spawned = Array.from({ length: READY + 11 }, () => bench.spawn().lineage.thread);
    expect(bench.host.slots.waitingInLine()).toBe(READY + 10);
    collect();
    expect(bench.host.slots.waitingInLine()).toBe(READY + 10);
    const { table, slots } = bench.host;
    expect([table.size(), slots.queued()]).toEqual([READY + 11, READY + 10]);
    expect([...table.inLine()]).toEqual(spawned.slice(READY + 1));
    expect(table.get(spawned.at(-1) ?? 0)).toBeUndefined();
  });

  test('gives each its turn, in order and once', () => {
    const { bench, collect } = open({ concurrency: { max_total_threads: 1 } });
    const spawned = Array.from({ length: READY + 6 }, () => bench.spawn().lineage.thread);
    collect();
    for (const thread of spawned) {
      const entry = bench.host.table.get(thread);
      if (entry) bench.end(entry);
    }
    expect(bench.started()).toEqual(spawned);
    expect([[...bench.host.table.inLine()], bench.host.slots.taken()]).toEqual([[], 0]);
  });

  test('is closed with its runtime: who was resumed goes on in the next one, and nobody is written twice', async () => {
    const { bench, suspend, collect } = open({ concurrency: { max_total_threads: 1 } });
    const suspended = Array.from({ length: READY + 60 }, () => suspend(bench.spawn()));
    bench.spawn();
    for (const entry of suspended) resume(bench, entry);
    collect();
    bench.host.tell({ type: 'DRAIN', graceMs: 1_000 });
    while (bench.host.cancelling.size > 0) await new Promise(setImmediate);
    const written: string[] = [];
    bench.commit((op) => {
      if (op.type === 'step' && op.status?.to === 'suspended') written.push(`${op.thread} ${op.status.reason}`);
      return undefined;
    });
    const numbers = suspended.map(({ lineage }) => lineage.thread);
    expect(written.toSorted()).toEqual(numbers.map((thread) => `${thread} shutdown`).toSorted());
  });

  test('lets a thread be cancelled that is a number in it', () => {
    const { bench, find, collect } = open({ concurrency: { max_total_threads: 1 } });
    const spawned = Array.from({ length: READY + 3 }, () => bench.spawn().lineage.thread);
    collect();
    const last = find(spawned.at(-1) ?? 0);
    expect([last.phase, last.inLine]).toEqual(['queued', true]);
    bench.host.tell({ type: 'CANCEL', thread: last.lineage.thread, reason: 'enough' });
    bench.commit();
    expect([last.phase, last.ending?.status]).toEqual(['ended', 'cancelled']);
  });
});

type Bench = Pick<HostBench, 'host' | 'sent' | 'commit' | 'spawn' | 'end' | 'started'>;

function open(resilience: Resilience = {}) {
  const references: { entry: ThreadEntry | undefined }[] = [];
  const table = createThreadTable({
    readBack: (thread) => readBack(thread, host),
    referTo(entry) {
      const reference: { entry: ThreadEntry | undefined } = { entry };
      references.push(reference);
      return { deref: () => reference.entry };
    },
  });
  const rows: ThreadRow[] = [];
  const bench = createHostBench(resilience, { table, reader: readerOf(rows) });
  const { host } = bench;
  return {
    bench: {
      ...bench,
      spawn(options?: Parameters<HostBench['spawn']>[0]) {
        const entry = bench.spawn({ spawns: 7, ...options });
        rows.push(suspendedRow(entry.lineage));
        return entry;
      },
    } satisfies Bench,
    find: (thread: ThreadNo) => findEntry(rows.find((row) => row.thread === thread)?.threadId ?? '', host),
    suspend: (entry: ThreadEntry): ThreadEntry => {
      host.tell({ type: 'SUSPENDED', thread: entry.lineage.thread, reason: 'user', cost: NO_COST });
      return entry;
    },
    /** As the engine does with what nobody holds. */
    collect: () => references.splice(0).forEach((reference) => (reference.entry = undefined)),
  };
}

function resume({ host }: Bench, entry: ThreadEntry): void {
  host.tell({ type: 'RESUME', order: { entry, message: undefined, limits: undefined, done: () => undefined } });
}

function operationsOf({ host }: Bench): Operations {
  const recall = (id: string) => ({ threadId: id as ThreadId, status: 'not_found', ending: undefined }) as const;
  const nobody = { workers: async () => [], machines: () => undefined };
  return createOperations(liveThreads({ host, recall, isStopped: () => false, ...nobody }));
}

function readerOf(rows: readonly ThreadRow[]): StoreReader {
  return {
    ...NOTHING_STORED,
    thread: (id) => rows.find(({ threadId }) => threadId === id),
    threadByNo: (thread) => rows.find((row) => row.thread === thread),
    threads: ({ parent }) => rows.filter((row) => row.parent === parent),
    spec: () => JSON.stringify(wholeSpecWith(7)),
  };
}
