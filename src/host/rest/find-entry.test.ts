import { describe, expect, test } from 'vitest';
import { idOf } from '../../../test/conformance/store-fixture.ts';
import { createHostBench, endingOf, wholeSpecWith, type HostBench } from '../../../test/fixtures/host-bench.ts';
import { encodeEvent } from '../../core/events.ts';
import type { ThreadNo } from '../../core/ids.ts';
import { NO_COST } from '../../core/limits.ts';
import type { StoreReader, ThreadRow } from '../../core/store.ts';
import { findEntry } from './find-entry.ts';
import { endThread } from '../endings/thread-ending.ts';

/** Number, parent, and whether it has ended. */
type Node = readonly [thread: ThreadNo, parent?: ThreadNo | undefined, ended?: 'ended'];

const FAMILY: readonly Node[] = [[1], [2, 1], [3, 1, 'ended'], [4, 3], [5, 1, 'ended'], [6, 2]];

describe('A tree that an earlier runtime left', () => {
  test.each([1, 2, 4, 6])('is the same whoever is asked for first: %i', (first) => {
    const { bench, find } = open(FAMILY);
    find(first);
    const { table } = bench.host;
    const shape = [...table.live()].map(({ lineage, phase, children, liveChildren, treeSpawned }) => [
      lineage.thread,
      phase,
      [...(children ?? [])],
      liveChildren,
      treeSpawned,
    ]);
    expect(shape).toEqual([
      [1, 'suspended', [2, 3], 1, 5],
      [2, 'suspended', [6], 1, 1],
      [3, 'ended', [4], 1, 1],
      [4, 'suspended', [], 0, 0],
      [6, 'suspended', [], 0, 0],
    ]);
  });

  test('counts no child twice when it ends after its parent was asked for', () => {
    const { bench, find } = open(FAMILY);
    const child = find(2);
    const root = find(1);
    endThread(bench.host, find(6), endingOf('completed'));
    endThread(bench.host, child, endingOf('completed'));
    expect([root.liveChildren, [...(root.children ?? [])]]).toEqual([0, [3]]);
  });

  test('is cancelled down to threads below one that has ended', () => {
    const { bench, find } = open(FAMILY);
    find(1);
    bench.host.tell({ type: 'CANCEL', thread: 1, reason: 'enough' });
    bench.commit();
    expect([1, 2, 4, 6].map((thread) => bench.host.table.get(thread)?.phase)).toEqual(Array(4).fill('ended'));
  });

  test('knows its limits of threads below it', () => {
    expect(open(FAMILY).find(2).spawnLimit).toBe(7);
  });

  test('knows those it was last resumed with', () => {
    const checkpoint = (thread: ThreadNo) => (thread === 2 ? JSON.stringify(wholeSpecWith(9)) : undefined);
    const { find } = open(FAMILY, { checkpoint });
    expect([find(1).spawnLimit, find(2).spawnLimit]).toEqual([7, 9]);
  });

  test.each(['thread_resumed', 'approval_resolved'] as const)(
    'knows those of %s, which no worker has written down yet',
    (event_type) => {
      const line = encodeEvent({ sequence: 4, event_type, time: 0, payload: { limits: { spawns: 9 } } });
      const { find } = open(FAMILY, { raises: (thread) => (thread === 2 ? [line] : []) });
      expect([find(1).spawnLimit, find(2).spawnLimit]).toEqual([7, 9]);
    },
  );

  test('knows the last of them', () => {
    const resumed = (sequence: number, limits: object): string =>
      encodeEvent({ sequence, event_type: 'thread_resumed', time: 0, payload: { limits } });
    const { find } = open(FAMILY, {
      raises: () => [resumed(3, { spawns: 9 }), resumed(4, { spawns: 8 }) + resumed(5, { turns: 3 })],
    });
    expect(find(2).spawnLimit).toBe(8);
  });

  test('is found also when the spec of one of its threads is damaged: that one may spawn nothing', () => {
    const { find } = open(FAMILY, { spec: () => '{' });
    expect(find(2)).toMatchObject({ phase: 'suspended', spawnLimit: 0 });
  });

  test('is read once, however many of its threads are asked for', () => {
    const nodes = Array.from({ length: 2_000 }, (_, index): Node => (index === 0 ? [1] : [index + 1, 1]));
    const { find, queries } = open(nodes);
    for (const [thread] of nodes) find(thread);
    expect(queries()).toBe(2_000);
  });

  test('may be a chain of 2,000', () => {
    const nodes = Array.from({ length: 2_000 }, (_, index): Node => (index === 0 ? [1] : [index + 1, index]));
    expect(open(nodes).find(1).treeSpawned).toBe(1_999);
  });
});

test('children of threads that took over from each other are one family', () => {
  const over = new Map<ThreadNo, Partial<ThreadRow>>([
    [1, { ...CONTINUED, successor: 2 }],
    [2, { predecessor: 1 }],
  ]);
  const { find } = open([[1, undefined, 'ended'], [2], [3, 1], [4, 2], [5, 2]], {}, over);
  const owners = [3, 4, 5].map((thread) => find(thread).owner);
  expect(owners).toEqual([1, 1, 1]);
});

test("who took over is of the first one's family, also where none of those before is read", () => {
  const over = new Map<ThreadNo, Partial<ThreadRow>>([
    [2, { ...CONTINUED, successor: 3 }],
    [3, { ...CONTINUED, predecessor: 2, successor: 4 }],
    [4, { predecessor: 3 }],
  ]);
  const { bench, find } = open([[1], [2, 1, 'ended'], [3, 1, 'ended'], [4, 1]], {}, over);
  expect([find(4).family, bench.host.table.get(2)]).toEqual([2, undefined]);
});

test('what is open below the first of a chain is below the last, also where none was below those between', () => {
  const over = new Map<ThreadNo, Partial<ThreadRow>>([
    [1, { ...CONTINUED, successor: 2 }],
    [2, { ...CONTINUED, predecessor: 1, successor: 3 }],
    [3, { predecessor: 2 }],
  ]);
  const { bench, find } = open([[1, undefined, 'ended'], [2, undefined, 'ended'], [3], [4, 1], [5, 3]], {}, over);
  expect([4, 5].map((thread) => find(thread).owner)).toEqual([1, 1]);
  bench.host.tell({ type: 'CANCEL', thread: 3, reason: 'enough' });
  bench.commit();
  expect([3, 4, 5].map((thread) => bench.host.table.get(thread)?.phase)).toEqual(['ended', 'ended', 'ended']);
});

const CONTINUED = { status: 'continued', ending: JSON.stringify(endingOf('continued')) } as const;

test('a thread that another one is handing over to is found as that one, and is cancelled when it is heard of', () => {
  const { bench, find } = open([[1], [2, 1]], {
    thread: () => ({ ...rowOf([2]), status: 'created', predecessor: 1, threadId: idOf(2) }),
  });
  const first = bench.spawn();
  expect(find(2)).toBe(first);
  expect(bench.host.table.size()).toBe(1);
  bench.host.tell({ type: 'CANCEL', thread: find(2).lineage.thread, reason: 'enough' });
  const successor = { thread: 2, threadId: idOf(2) };
  bench.host.tell({ type: 'CONTINUED', thread: 1, ending: endingOf('continued'), successor });
  bench.commit();
  expect(find(2)).toMatchObject({ lineage: { thread: 2 }, phase: 'ended', ending: { status: 'cancelled' } });
  expect(bench.started()).toEqual([1]);
});

test('a thread that has ended is found with its ending, and not kept', () => {
  const { bench, find } = open(FAMILY);
  expect(find(5)).toMatchObject({ phase: 'ended', ending: { status: 'completed' } });
  expect(bench.host.table.size()).toBe(0);
});

test.each(['', 'nonsense', '__proto__'])('no thread has the id %j', (id) => {
  const { bench } = open(FAMILY);
  expect(() => findEntry(id, bench.host)).toThrow(expect.objectContaining({ code: 'thread_not_found' }));
});

function open(
  nodes: readonly Node[],
  over: Partial<StoreReader> = {},
  fields: ReadonlyMap<ThreadNo, Partial<ThreadRow>> = new Map(),
) {
  const rows = nodes.map((node): ThreadRow => ({ ...rowOf(node), ...fields.get(node[0]) }));
  const byNo = new Map(rows.map((row) => [row.thread, row]));
  const byParent = Map.groupBy(rows, ({ parent }) => parent);
  let asked = 0;
  const bench: HostBench = createHostBench();
  const reader: StoreReader = {
    ...bench.host.reader,
    thread: (id) => rows.find(({ threadId }) => threadId === id),
    threadByNo: (thread) => byNo.get(thread),
    threads({ parent }) {
      asked++;
      return byParent.get(parent) ?? [];
    },
    spec: () => JSON.stringify(wholeSpecWith(7)),
    ...over,
  };
  const sources = { ...bench.host, reader };
  return { bench, find: (thread: ThreadNo) => findEntry(idOf(thread), sources), queries: () => asked };
}

function rowOf([thread, parent, ended]: Node): ThreadRow {
  return {
    thread,
    threadId: idOf(thread),
    parent,
    root: 1,
    directive: 'demo/task',
    model: 'scripted:main',
    status: ended ? 'completed' : 'suspended',
    suspendReason: ended ? undefined : 'shutdown',
    cost: NO_COST,
    ending: ended && JSON.stringify(endingOf('completed')),
    createdAt: 0,
    updatedAt: 0,
  };
}
