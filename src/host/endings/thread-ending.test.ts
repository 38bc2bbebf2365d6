import { describe, expect, test, vi } from 'vitest';
import { createHostBench, specWith, type HostBench } from '../../../test/fixtures/host-bench.ts';
import type { TerminalStatus } from '../../core/ending.ts';
import { SkeinError } from '../../core/errors.ts';
import { NO_COST } from '../../core/limits.ts';
import type { StoreResult } from '../../core/store.ts';
import type { HostContext } from '../host-context.ts';
import { joinChildren } from './thread-ending.ts';
import { createThreadTable, type ThreadEntry } from '../rest/thread-table.ts';

describe('The child policy', () => {
  const cases: readonly (readonly [string, TerminalStatus, string, boolean])[] = [
    ['on_parent_complete', 'completed', 'cascade_cancel', true],
    ['on_parent_complete', 'completed', 'allow', false],
    ['on_parent_error', 'error', 'cascade_cancel', true],
    ['on_parent_error', 'error', 'allow', false],
    ['on_parent_cancel', 'cancelled', 'cascade_cancel', true],
    ['on_parent_cancel', 'cancelled', 'allow', false],
  ];
  test.each(cases)('%s (%s): %s cancels the children: %s', (key, status, choice, isCancelled) => {
    const others = { on_parent_complete: 'allow', on_parent_error: 'allow', on_parent_cancel: 'allow' };
    const bench = createHostBench({ child_policy: { ...others, [key]: choice } });
    const parent = bench.spawn();
    const [one, two] = [bench.spawn({ parent }), bench.spawn({ parent })];
    bench.end(parent, status);
    expect(bench.cancelled()).toEqual(isCancelled ? numbers(one, two) : []);
  });
});

describe('Cancelling a tree', () => {
  test('is one message for everybody in a worker', () => {
    const bench = createHostBench();
    const { root, child, grandchild } = family(bench);
    bench.host.tell({ type: 'CANCEL', thread: root.lineage.thread, reason: 'enough' });
    const cancels = bench.sent.filter(({ type }) => type === 'cancel');
    expect(cancels).toEqual([{ type: 'cancel', threads: numbers(root, child, grandchild), reason: 'enough' }]);
  });

  test('ends those that are in no worker by itself, each with one row of its own', () => {
    const bench = createHostBench({ concurrency: { max_total_threads: 1, max_concurrent_children: 5 } });
    const root = bench.spawn();
    const [one, two] = [bench.spawn({ parent: root }), bench.spawn({ parent: root })];
    bench.host.tell({ type: 'CANCEL', thread: root.lineage.thread, reason: 'enough' });
    const endings: number[] = [];
    bench.commit((op) => {
      if (op.type === 'step' && op.status?.to === 'cancelled') endings.push(op.thread);
      return undefined;
    });
    expect(endings).toEqual(numbers(one, two));
    expect([one.phase, two.phase]).toEqual(['ended', 'ended']);
  });

  test('does not ask one without children twice, and keeps the first reason', () => {
    const bench = createHostBench();
    const root = bench.spawn();
    for (const reason of ['first', 'second']) bench.host.tell({ type: 'CANCEL', thread: root.lineage.thread, reason });
    expect([bench.cancelled(), root.cancelReason]).toEqual([numbers(root), 'first']);
  });

  test('says nothing to one without children that has ended, or to whom it handed over', () => {
    const bench = createHostBench();
    const [root, first] = [bench.spawn(), bench.spawn()];
    bench.end(root, 'completed');
    const heir = bench.handOver(first);
    for (const { lineage } of [root, first]) bench.host.tell({ type: 'CANCEL', thread: lineage.thread, reason: 'no' });
    expect([root.cancelReason, first.cancelReason, heir.cancelReason]).toEqual([undefined, undefined, 'no']);
  });

  test('does not ask twice', () => {
    const bench = createHostBench();
    const { root, child, grandchild } = family(bench);
    bench.host.tell({ type: 'CANCEL', thread: child.lineage.thread, reason: 'first' });
    bench.host.tell({ type: 'CANCEL', thread: root.lineage.thread, reason: 'second' });
    expect(bench.cancelled()).toEqual(numbers(child, grandchild, root));
    expect(child.cancelReason).toBe('first');
  });

  test('reaches those below a child that has ended', () => {
    const bench = createHostBench();
    const { root, child, grandchild } = family(bench);
    bench.end(child);
    bench.host.tell({ type: 'CANCEL', thread: root.lineage.thread, reason: 'enough' });
    expect(bench.cancelled()).toEqual(numbers(root, grandchild));
  });

  test('spares the children where the policy says allow', () => {
    const bench = createHostBench({ child_policy: { on_parent_cancel: 'allow' } });
    const { root } = family(bench);
    bench.host.tell({ type: 'CANCEL', thread: root.lineage.thread, reason: 'enough' });
    expect(bench.cancelled()).toEqual(numbers(root));
  });

  test('of a thread nobody knows does nothing', () => {
    const bench = createHostBench();
    bench.host.tell({ type: 'CANCEL', thread: 99, reason: 'who?' });
    expect([bench.sent, bench.problems]).toEqual([[], []]);
  });

  test('goes on where one below it can’t be read back, and says so', () => {
    const readBack = (): never => {
      throw new SkeinError('store_corrupt', 'its row is damaged');
    };
    // Whoever is let go of is gone from memory at once.
    const table = createThreadTable({ readBack, referTo: () => ({ deref: () => undefined }) });
    const bench = createHostBench({}, { table });
    const root = bench.spawn();
    const [damaged, whole] = [bench.spawn({ parent: root }), bench.spawn({ parent: root })];
    bench.host.tell({ type: 'SUSPENDED', thread: damaged.lineage.thread, reason: 'user', cost: NO_COST });
    bench.host.tell({ type: 'CANCEL', thread: root.lineage.thread, reason: 'enough' });
    expect(bench.cancelled()).toEqual(numbers(root, whole));
    expect(bench.problems).toMatchObject([{ code: 'store_corrupt' }]);
  });

  test('of a thread in line whose ending cannot be written is reported, and the line goes on as it was', () => {
    const bench = createHostBench({ concurrency: { max_total_threads: 1, max_concurrent_children: 5 } });
    const [first, second, third] = [bench.spawn(), bench.spawn(), bench.spawn()];
    bench.host.tell({ type: 'CANCEL', thread: second.lineage.thread, reason: 'x' });
    bench.commit(() => ({ type: 'failed', failure: { code: 'store_failed', message: 'disk full' } }));
    expect(bench.problems).toMatchObject([{ code: 'store_failed' }]);
    bench.end(first);
    expect([second.phase, third.phase]).toEqual(['running', 'queued']);
    bench.end(second);
    expect(third.phase).toBe('running');
  });
});

describe('Cancelling a tree of 1,200 threads', () => {
  test('goes slice by slice, and misses nobody', async () => {
    const { bench, root, children } = wide();
    const grandchild = bench.spawn({ parent: children.at(-1) });
    bench.host.tell({ type: 'CANCEL', thread: root.lineage.thread, reason: 'enough' });
    expect(bench.cancelled()).toHaveLength(500);
    await turns(4);
    expect(bench.cancelled()).toEqual(numbers(root, ...children, grandchild));
  });

  test('spares those that end meanwhile, and reaches those below them and those spawned since', async () => {
    const { bench, root, children } = wide();
    const last = children.at(-1);
    const grandchild = bench.spawn({ parent: last });
    bench.host.tell({ type: 'CANCEL', thread: root.lineage.thread, reason: 'enough' });
    const late = bench.spawn({ parent: children.at(-2) });
    if (last) bench.end(last);
    await turns(4);
    expect(bench.cancelled().toSorted((a, b) => a - b)).toEqual(
      numbers(root, ...children.slice(0, -1), grandchild, late),
    );
  });

  test.each([0, 600])('reaches those that take over meanwhile, if endings are kept for %i s', async (seconds) => {
    const { bench, root, children } = wide({ completion_event_ttl_seconds: seconds });
    const [last, before] = [children.at(-1), children.at(-2)];
    const grandchild = bench.spawn({ parent: last });
    bench.host.tell({ type: 'CANCEL', thread: root.lineage.thread, reason: 'enough' });
    if (!last || !before) throw new Error('there are many');
    // The root's own cancellation came too late for it as well.
    const heirs = [last, before].map((child) => bench.handOver(child));
    bench.handOver(root);
    await turns(4);
    expect(bench.cancelled()).toEqual(numbers(root, ...children.slice(0, -2), ...heirs, grandchild));
  });

  test('counts who is killed and hands over meanwhile once, with what is below it', async () => {
    const { bench, root, children } = wide();
    const [first] = children;
    if (!first) throw new Error('there are many');
    bench.spawn({ parent: first });
    const meets = vi.fn<() => void>();
    bench.host.tell({ type: 'CANCEL', thread: root.lineage.thread, reason: 'enough', whole: { meets } });
    bench.handOver(first);
    await turns(4);
    expect(meets).toHaveBeenCalledTimes(1_202);
    expect(bench.cancelled()).toHaveLength(1_202);
  });

  test('asks nobody twice when the root ends before the last slice', async () => {
    const { bench, root, children } = wide();
    bench.host.tell({ type: 'CANCEL', thread: root.lineage.thread, reason: 'enough' });
    bench.end(root, 'cancelled');
    expect(bench.cancelled()).toHaveLength(500);
    await turns(4);
    expect(bench.cancelled()).toEqual(numbers(root, ...children));
    expect(new Set(children.map(({ cancelReason }) => cancelReason))).toEqual(new Set(['enough']));
  });
});

describe('The end of a child', () => {
  test('is told to its parent with its ending', () => {
    const bench = createHostBench();
    const { child, grandchild } = family(bench);
    bench.end(grandchild, 'error');
    expect(bench.sent.at(-1)).toMatchObject({
      type: 'childEnded',
      thread: child.lineage.thread,
      childId: grandchild.lineage.threadId,
      ending: { status: 'error' },
    });
  });

  test('lets a parent that joins its children end after the last one', () => {
    const bench = createHostBench();
    const parent = bench.spawn();
    const [one, two] = [bench.spawn({ parent }), bench.spawn({ parent })];
    join(bench, parent);
    bench.end(one);
    expect(bench.sent.filter(({ type }) => type === 'joined')).toEqual([]);
    bench.end(two);
    expect(bench.sent.at(-1)).toEqual({ type: 'joined', thread: parent.lineage.thread });
  });

  test('that was not to be admitted counts as one: a parent that joins its children ends', () => {
    const bench = createHostBench();
    const parent = bench.spawn();
    bench.host.tell({ type: 'PREPARED', order: { spec: specWith(1), parent, done: () => undefined } });
    join(bench, parent);
    bench.commit((op) => (op.type === 'admit' ? { type: 'refused', remaining: 0 } : undefined));
    expect(bench.sent.at(-1)).toEqual({ type: 'joined', thread: parent.lineage.thread });
  });

  test('that was not to be admitted lets a parent end that waits for it, also if that has handed over meanwhile', () => {
    const bench = createHostBench({ child_policy: { on_parent_cancel: 'wait' } });
    const parent = bench.spawn();
    bench.host.tell({ type: 'PREPARED', order: { spec: specWith(1), parent, done: () => undefined } });
    bench.host.tell({ type: 'CANCEL', thread: parent.lineage.thread, reason: 'enough' });
    const next = bench.handOver(parent);
    bench.commit((op) => (op.type === 'admit' ? { type: 'refused', remaining: 0 } : undefined));
    expect([next.phase, next.ending?.status]).toEqual(['ended', 'cancelled']);
  });

  test('reported twice counts once', () => {
    const bench = createHostBench();
    const { grandchild } = family(bench);
    bench.end(grandchild);
    bench.end(grandchild, 'error');
    expect(grandchild.ending?.status).toBe('completed');
    expect(bench.host.slots.taken()).toBe(2);
  });
});

describe('Somebody who throws on hearing of an ending', () => {
  const listener = {
    event: () => undefined,
    ended: () => {
      throw new Error('not now');
    },
  };

  test.each<[string, (host: HostContext, entry: ThreadEntry) => void]>([
    ['waits for it', (_host, entry) => void (entry.waiters = new Set([listener.ended]))],
    ['listens', (host, entry) => void host.feed.listen(entry, listener)],
  ])('because he %s keeps neither its slot nor its children', (_name, hear) => {
    const bench = createHostBench({ concurrency: { max_total_threads: 2 } });
    const parent = bench.spawn();
    const child = bench.spawn({ parent });
    const next = bench.spawn();
    hear(bench.host, parent);
    bench.end(parent, 'error');
    expect([bench.cancelled(), next.phase]).toEqual([numbers(child), 'running']);
    expect(bench.problems).toMatchObject([{ message: 'not now' }]);
  });

  test('does not keep the runtime from closing', async () => {
    const bench = createHostBench();
    const entry = bench.spawn();
    bench.host.feed.listen(entry, listener);
    bench.host.tell({ type: 'DRAIN', graceMs: 100 });
    bench.end(entry);
    expect(await bench.supervisor.stopped).toBeUndefined();
  });
});

describe('What has ended', () => {
  test('is remembered for completion_event_ttl_seconds and forgotten then', () => {
    const bench = createHostBench({ coordination: { completion_event_ttl_seconds: 10 } });
    const first = bench.spawn();
    bench.end(first);
    bench.clock.advance(9_999);
    bench.end(bench.spawn());
    expect(bench.host.table.byId(first.lineage.threadId)).toBe(first);
    bench.clock.advance(1);
    bench.end(bench.spawn());
    expect(bench.host.table.byId(first.lineage.threadId)).toBeUndefined();
  });

  test('is forgotten then, also if no other thread ends', () => {
    const bench = createHostBench({ coordination: { completion_event_ttl_seconds: 10 } });
    const [first, second] = [bench.spawn(), bench.spawn()];
    bench.end(first);
    bench.clock.advance(5_000);
    bench.end(second);
    bench.clock.advance(5_000);
    expect([...bench.host.table.live()]).toEqual([second]);
    bench.clock.advance(5_000);
    expect([bench.host.table.size(), bench.clock.pending()]).toEqual([0, 0]);
  });

  test('is forgotten then, also if the clock is moved back by hours', () => {
    const bench = createHostBench({ coordination: { completion_event_ttl_seconds: 10 } });
    const [first, second] = [bench.spawn(), bench.spawn()];
    bench.end(first);
    bench.clock.set(-5 * 3_600_000);
    bench.end(second);
    bench.clock.advance(10_000);
    expect([bench.host.table.size(), bench.clock.pending()]).toEqual([0, 0]);
  });

  test('is forgotten a slice at a time when thousands are due at once', () => {
    const bench = createHostBench({ coordination: { completion_event_ttl_seconds: 10 } });
    for (const entry of Array.from({ length: 2_500 }, () => bench.spawn())) bench.end(entry);
    const left: number[] = [];
    // Due with the first slice, before the next.
    bench.clock.setTimer(10_000, () => left.push(bench.host.table.size()));
    bench.clock.advance(10_000);
    expect(left).toEqual([1_500]);
    expect([bench.host.table.size(), bench.clock.pending()]).toEqual([0, 0]);
  });

  test('leaves no timer behind in a runtime that has stopped', () => {
    const bench = createHostBench({ coordination: { completion_event_ttl_seconds: 10 } });
    const [first, second] = [bench.spawn(), bench.spawn()];
    bench.end(first);
    bench.host.endings.close();
    bench.end(second);
    expect(bench.clock.pending()).toBe(0);
  });

  test('is forgotten after its children, if they live longer', () => {
    const bench = createHostBench({ coordination: { completion_event_ttl_seconds: 10 } });
    const parent = bench.spawn();
    const child = bench.spawn({ parent });
    bench.end(parent);
    bench.clock.advance(20_000);
    bench.end(bench.spawn());
    expect(bench.host.table.get(child.lineage.thread)).toBe(child);
    bench.end(child);
    bench.clock.advance(20_000);
    bench.end(bench.spawn());
    expect(bench.host.table.size()).toBe(1);
  });

  test.each([0, 0.001])(
    'with %s seconds to live waits for its children without looking at it again at once',
    (seconds) => {
      const bench = createHostBench({ coordination: { completion_event_ttl_seconds: seconds } });
      const parent = bench.spawn();
      const child = bench.spawn({ parent });
      bench.end(parent);
      expect(bench.host.table.get(parent.lineage.thread)).toBe(parent);
      bench.end(child);
      bench.clock.advance(2_000);
      bench.end(bench.spawn());
      expect([...bench.host.table.live()].filter((entry) => entry === parent || entry === child)).toEqual([]);
    },
  );

  test('does not grow the table: 10,000 threads leave what the time to live allows', () => {
    const bench = createHostBench({ coordination: { completion_event_ttl_seconds: 1 } });
    for (let thread = 0; thread < 10_000; thread++) {
      bench.end(bench.spawn());
      bench.clock.advance(100);
    }
    expect(bench.host.table.size()).toBeLessThanOrEqual(12);
  });
});

describe('Draining', () => {
  test('starts nobody who stands in line', async () => {
    const bench = createHostBench({ concurrency: { max_total_threads: 1, max_concurrent_children: 5 } });
    const first = bench.spawn();
    bench.spawn();
    bench.host.tell({ type: 'DRAIN', graceMs: 100 });
    bench.end(first);
    expect(bench.started()).toEqual([1]);
    expect(await bench.supervisor.stopped).toBeUndefined();
  });

  test('suspends the rest when the grace period is over', async () => {
    const bench = createHostBench();
    const entry = bench.spawn();
    bench.host.tell({ type: 'DRAIN', graceMs: 100 });
    bench.clock.advance(99);
    expect(bench.sent.filter(({ type }) => type === 'suspend')).toEqual([]);
    bench.clock.advance(1);
    const { thread } = entry.lineage;
    expect(bench.sent.at(-1)).toEqual({ type: 'suspend', thread, reason: 'shutdown', now: true });
    bench.host.tell({ type: 'SUSPENDED', thread, reason: 'shutdown', cost: undefined });
    expect(await bench.supervisor.stopped).toBeUndefined();
  });

  test('is over at once when nothing runs, and leaves no timer behind', async () => {
    const bench = createHostBench();
    bench.host.tell({ type: 'DRAIN', graceMs: 60_000 });
    expect(await bench.supervisor.stopped).toBeUndefined();
    expect(bench.clock.pending()).toBe(0);
  });

  test.each<[string, StoreResult | undefined, string]>([
    ['written', undefined, 'ended'],
    ['refused', { type: 'failed', failure: { code: 'store_failed', message: 'disk full' } }, 'suspended'],
  ])('waits until the ending of a thread in no worker is %s', async (_name, answer, phase) => {
    const { bench, entry, isStopped } = await drainingWithSuspended((host, { lineage }) =>
      host.tell({ type: 'CANCEL', thread: lineage.thread, reason: 'no' }),
    );
    expect(isStopped()).toBe(false);
    bench.commit((op) => (op.type === 'step' ? answer : undefined));
    expect(entry.phase).toBe(phase);
    expect(await bench.supervisor.stopped).toBeUndefined();
  });

  test('waits for the ending of a thread that was suspended while it was being cancelled', async () => {
    const bench = createHostBench();
    const entry = bench.spawn();
    const { thread } = entry.lineage;
    bench.host.tell({ type: 'CANCEL', thread, reason: 'no' });
    bench.host.tell({ type: 'DRAIN', graceMs: 100 });
    bench.host.tell({ type: 'SUSPENDED', thread, reason: 'user', cost: undefined });
    const isStopped = watchStop(bench);
    await turns(1);
    expect(isStopped()).toBe(false);
    bench.commit();
    expect(entry.phase).toBe('ended');
    expect(await bench.supervisor.stopped).toBeUndefined();
  });

  test('waits for the last slice of a cancellation', async () => {
    const { bench, root, children } = wide();
    for (const { lineage } of [root, ...children]) {
      bench.host.tell({ type: 'SUSPENDED', thread: lineage.thread, reason: 'user', cost: undefined });
    }
    bench.host.tell({ type: 'CANCEL', thread: root.lineage.thread, reason: 'enough' });
    bench.host.tell({ type: 'DRAIN', graceMs: 100 });
    const isStopped = watchStop(bench);
    for (let slice = 0; slice < 3; slice++) {
      expect(isStopped()).toBe(false);
      bench.commit();
      await turns(1);
    }
    expect([root, ...children].filter(({ phase }) => phase !== 'ended')).toEqual([]);
    expect(await bench.supervisor.stopped).toBeUndefined();
  });

  test('waits for an admission, and starts nobody by it', async () => {
    const { bench, answers, isStopped } = await drainingWithAdmission();
    expect(isStopped()).toBe(false);
    bench.commit();
    expect(answers).toMatchObject([{ ok: true }]);
    expect(bench.started()).toEqual([]);
    expect(await bench.supervisor.stopped).toBeUndefined();
  });

  test('ends a child that was admitted meanwhile with its parent', async () => {
    const bench = createHostBench();
    const parent = bench.spawn();
    bench.host.tell({ type: 'PREPARED', order: { spec: specWith(1), parent, done: () => undefined } });
    bench.host.tell({ type: 'DRAIN', graceMs: 100 });
    bench.commit();
    bench.end(parent, 'error');
    bench.commit();
    expect(bench.host.table.get(2)?.ending?.status).toBe('cancelled');
    expect(bench.started()).toEqual(numbers(parent));
    expect(await bench.supervisor.stopped).toBeUndefined();
  });

  test('starts nobody whose admission and cancellation it crossed, if the ending cannot be written', async () => {
    const { bench } = await drainingWithAdmission((host) => host.tell({ type: 'CANCEL', thread: 1, reason: 'no' }));
    bench.commit((op) =>
      op.type === 'load' ? { type: 'failed', failure: { code: 'store_failed', message: 'disk full' } } : undefined,
    );
    expect(bench.started()).toEqual([]);
    expect(await bench.supervisor.stopped).toBeUndefined();
  });

  test('waits for the ending of a thread that was cancelled before its row was there', async () => {
    const { bench } = await drainingWithAdmission((host) => host.tell({ type: 'CANCEL', thread: 1, reason: 'no' }));
    bench.commit();
    expect(bench.host.table.get(1)?.ending?.status).toBe('cancelled');
    expect(await bench.supervisor.stopped).toBeUndefined();
  });

  test('waits for what a resumption asks of the store', async () => {
    const answers: unknown[] = [];
    const { bench, isStopped } = await drainingWithSuspended((host, entry) => {
      const done = (given: unknown): void => void answers.push(given);
      host.tell({ type: 'RESUME', order: { entry, message: undefined, limits: { spend: 2 }, done } });
    });
    expect(isStopped()).toBe(false);
    bench.commit();
    expect(answers).toMatchObject([{ ok: true }]);
    expect(await bench.supervisor.stopped).toBeUndefined();
  });

  test('refuses a child that a running thread asks for', () => {
    const bench = createHostBench();
    const parent = bench.spawn();
    bench.host.tell({ type: 'DRAIN', graceMs: 100 });
    expect(bench.trySpawn({ parent })).toMatchObject({ ok: false, failure: { code: 'runtime_closed' } });
    expect(parent.children?.size ?? 0).toBe(0);
  });
});

function watchStop({ supervisor }: HostBench): () => boolean {
  let isStopped = false;
  void supervisor.stopped.then(() => (isStopped = true));
  return () => isStopped;
}

type Draining = { readonly bench: HostBench; readonly isStopped: () => boolean };

/** A runtime that drains right after something was done to its only thread, which is suspended. */
async function drainingWithSuspended(
  act: (host: HostContext, entry: ThreadEntry) => void,
): Promise<Draining & { readonly entry: ThreadEntry }> {
  const bench = createHostBench();
  const entry = bench.spawn();
  bench.host.tell({ type: 'SUSPENDED', thread: entry.lineage.thread, reason: 'user', cost: undefined });
  act(bench.host, entry);
  bench.host.tell({ type: 'DRAIN', graceMs: 100 });
  const isStopped = watchStop(bench);
  await turns(1);
  return { bench, entry, isStopped };
}

/** A runtime that drains while the store is writing the row of its only thread. */
async function drainingWithAdmission(
  act: (host: HostContext) => void = () => undefined,
): Promise<Draining & { readonly answers: unknown[] }> {
  const bench = createHostBench();
  const answers: unknown[] = [];
  const done = (given: unknown): void => void answers.push(given);
  bench.host.tell({ type: 'PREPARED', order: { spec: specWith(1), parent: undefined, done } });
  act(bench.host);
  bench.host.tell({ type: 'DRAIN', graceMs: 100 });
  const isStopped = watchStop(bench);
  await turns(1);
  return { bench, answers, isStopped };
}

function family(bench: HostBench): Record<'root' | 'child' | 'grandchild', ThreadEntry> {
  const root = bench.spawn();
  const child = bench.spawn({ parent: root });
  const grandchild = bench.spawn({ parent: child });
  return { root, child, grandchild };
}

function wide(coordination = {}): {
  readonly bench: HostBench;
  readonly root: ThreadEntry;
  readonly children: ThreadEntry[];
} {
  const bench = createHostBench({
    concurrency: { max_total_threads: 2_000, max_concurrent_children: 2_000 },
    coordination,
  });
  const root = bench.spawn({ spawns: 2_000 });
  const children = Array.from({ length: 1_200 }, () => bench.spawn({ parent: root }));
  return { bench, root, children };
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function numbers(...entries: readonly ThreadEntry[]): number[] {
  return entries.map(({ lineage }) => lineage.thread);
}

/** The worker says that a parent must end after its children. */
function join({ host }: HostBench, parent: ThreadEntry): void {
  joinChildren(host, parent);
}
