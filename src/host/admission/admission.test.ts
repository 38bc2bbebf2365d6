import { describe, expect, test } from 'vitest';
import {
  createHostBench,
  openWait,
  wholeSpecWith,
  type HostBench,
  type Resilience,
} from '../../../test/fixtures/host-bench.ts';
import { packSpec, splitSpec } from '../../core/packed-spec.ts';
import { suspendByUser } from '../handle/create-handle.ts';
import { answerThread } from './admission.ts';
import { MOST_RETURNS } from './slots.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { nextChange } from '../waits/waiters.ts';

describe('An admitted thread', () => {
  test('is started in a worker when there is a slot, and stands in line when there is none', () => {
    const bench = withSlots(1);
    const [first, second] = [bench.spawn(), bench.spawn()];
    expect([first.phase, second.phase]).toEqual(['running', 'queued']);
    expect(bench.started()).toEqual([1]);
    bench.end(first);
    expect(bench.started()).toEqual([1, 2]);
    expect(second.phase).toBe('running');
  });

  test('is started only after the store has written its row', () => {
    const bench = createHostBench();
    bench.host.tell({ type: 'PREPARED', order: order(bench) });
    expect(bench.pending.map(({ type }) => type)).toEqual(['admit']);
    expect(bench.started()).toEqual([]);
    bench.commit();
    expect(bench.started()).toEqual([1]);
  });

  test('that the store refuses is nowhere, and its caller hears why', () => {
    const bench = createHostBench();
    const parent = bench.spawn({ spawns: 1 });
    const traced = new Set<string>();
    bench.host.telemetry = {
      caller: () => undefined,
      admit: ({ threadId }) => void traced.add(threadId),
      refused: (id) => void traced.delete(id),
      close: () => undefined,
    };
    let code: string | undefined;
    const done = (answer: { ok: boolean; failure?: { code: string } }) => void (code = answer.failure?.code);
    bench.host.tell({ type: 'PREPARED', order: { ...order(bench), parent, done } });
    bench.commit((op) => (op.type === 'admit' ? { type: 'refused', remaining: 5 } : undefined));
    expect(code).toBe('budget_refused');
    expect([bench.host.table.size(), parent.children?.size ?? 0, traced.size]).toEqual([1, 0, 0]);
    // What it counted against the limit of its tree is given back.
    expect(bench.trySpawn({ parent }).ok).toBe(true);
  });

  test('that the store refuses is waited for no longer by whoever ends the tree above it', async () => {
    const bench = createHostBench();
    const parent = bench.spawn();
    bench.host.tell({ type: 'PREPARED', order: { ...order(bench), parent, done: () => undefined } });
    const child = bench.host.table.get(2);
    if (!child) throw new Error('The child is not being admitted');
    const change = nextChange(bench.host.table, child);
    bench.commit((op) => (op.type === 'admit' ? { type: 'refused', remaining: 5 } : undefined));
    expect(await change).toBeUndefined();
    expect(child.phase).toBe('ended');
  });

  test('is suspended before its row is written: it is, without having been started', () => {
    const bench = createHostBench();
    bench.host.tell({ type: 'PREPARED', order: order(bench) });
    const entry = bench.host.table.get(1);
    if (!entry) throw new Error('it is being admitted');
    suspendByUser(bench.host, entry);
    bench.commit();
    expect(entry).toMatchObject({ phase: 'suspended', suspendReason: 'user', suspendAsked: undefined });
    expect([bench.started(), bench.host.slots.taken()]).toEqual([[], 0]);
    resume(bench, entry);
    bench.commit();
    expect(bench.started()).toEqual([1]);
  });

  test('is cancelled before its row is written: it ends without having been started', () => {
    const bench = createHostBench();
    bench.host.tell({ type: 'PREPARED', order: order(bench) });
    bench.host.tell({ type: 'CANCEL', thread: 1, reason: 'too late' });
    bench.commit();
    expect(bench.started()).toEqual([]);
    expect(bench.host.table.get(1)).toMatchObject({ phase: 'ended', ending: { status: 'cancelled' } });
    expect(bench.host.slots.queued()).toBe(0);
  });
});

describe('The limit of spawns', () => {
  test('counts everybody below a thread, those that have ended, too', () => {
    const bench = createHostBench();
    const root = bench.spawn({ spawns: 3 });
    const child = bench.spawn({ parent: root, spawns: 3 });
    bench.end(bench.spawn({ parent: child }));
    bench.spawn({ parent: child });
    const refused = bench.trySpawn({ parent: child });
    expect(refused).toMatchObject({ ok: false, failure: { code: 'spawns_exceeded' } });
  });

  test('is that of the nearest ancestor that allows the fewest', () => {
    const bench = createHostBench();
    const root = bench.spawn({ spawns: 10 });
    const child = bench.spawn({ parent: root, spawns: 1 });
    bench.spawn({ parent: child });
    expect(bench.trySpawn({ parent: child })).toMatchObject({ ok: false });
    expect(bench.trySpawn({ parent: root })).toMatchObject({ ok: true });
  });

  test.each([
    ['has ended', (bench: HostBench, parent: ThreadEntry) => bench.end(parent)],
    [
      'is being cancelled',
      (bench: HostBench, { lineage }: ThreadEntry) =>
        bench.host.tell({ type: 'CANCEL', thread: lineage.thread, reason: 'x' }),
    ],
  ])('is none for a parent that %s', (_name, change) => {
    const bench = createHostBench();
    const parent = bench.spawn();
    change(bench, parent);
    expect(bench.trySpawn({ parent })).toMatchObject({ ok: false, failure: { code: 'thread_ended' } });
  });
});

describe('A thread that waits for its children', () => {
  test('gives its slot to the next in line, and goes on before anybody new', () => {
    const bench = withSlots(1);
    const parent = bench.spawn();
    const child = bench.spawn({ parent });
    const other = bench.spawn();
    const answers = wait(bench, parent, child);
    expect([parent.phase, child.phase, other.phase]).toEqual(['waiting', 'running', 'queued']);
    bench.end(child);
    expect(answers()).toBe(1);
    expect([parent.phase, other.phase]).toEqual(['running', 'queued']);
    bench.end(parent);
    expect(other.phase).toBe('running');
  });

  test('gets its answer only when it holds a slot again', () => {
    const bench = withSlots(1);
    const parent = bench.spawn();
    const child = bench.spawn({ parent });
    const answers = wait(bench, parent, child, 100);
    bench.clock.advance(100);
    expect([answers(), parent.phase, child.phase]).toEqual([0, 'waiting', 'running']);
    bench.end(child);
    expect([answers(), parent.phase]).toEqual([1, 'running']);
  });

  test('keeps its slot while an answer is on its way to it', () => {
    const bench = withSlots(1);
    const parent = bench.spawn();
    const child = bench.spawn({ parent });
    bench.host.tell({ type: 'WAITING', thread: parent.lineage.thread });
    expect([parent.phase, child.phase]).toEqual(['running', 'queued']);
  });

  test.each(['ends', 'is suspended'])('leaves no slot taken when it %s while it stands in line to go on', (how) => {
    const bench = withSlots(1);
    const parent = bench.spawn();
    const child = bench.spawn({ parent });
    const next = bench.spawn();
    wait(bench, parent, child, 100);
    bench.clock.advance(100);
    const { thread } = parent.lineage;
    if (how === 'ends') bench.end(parent, 'cancelled');
    else bench.host.tell({ type: 'SUSPENDED', thread, reason: 'user', cost: undefined });
    bench.end(child);
    expect(next.phase).toBe('running');
    expect(parent.phase).toBe(how === 'ends' ? 'ended' : 'suspended');
    bench.end(next);
    expect([bench.host.slots.taken(), bench.host.slots.queued()]).toEqual([0, 0]);
  });

  test('several levels deep needs one slot in all', () => {
    const bench = withSlots(1);
    const chain = [bench.spawn()];
    for (let depth = 0; depth < 5; depth++) {
      const parent = chain.at(-1);
      if (!parent) throw new Error('no parent');
      const child = bench.spawn({ parent });
      chain.push(child);
      wait(bench, parent, child);
    }
    for (const entry of chain.toReversed()) {
      expect(entry.phase).toBe('running');
      bench.end(entry);
    }
    expect(bench.host.slots.taken()).toBe(0);
  });
});

describe('The fair queue of the host', () => {
  test('lets the children of one parent not starve another’s', () => {
    const bench = createHostBench({ concurrency: { max_total_threads: 3, max_concurrent_children: 100 } });
    const [one, other] = [bench.spawn(), bench.spawn()];
    const many = Array.from({ length: 10 }, () => bench.spawn({ parent: one, spawns: 0 }));
    const few = bench.spawn({ parent: other });
    for (const child of many.slice(0, 2)) bench.end(child);
    expect(few.phase).toBe('running');
  });

  test('lets the third child of one parent start third, however many children another one has in line', () => {
    const bench = createHostBench({ concurrency: { max_total_threads: 3, max_concurrent_children: 20_000 } });
    const [one, other] = [bench.spawn({ spawns: 20_000 }), bench.spawn()];
    const many = Array.from({ length: 10_000 }, () => bench.spawn({ parent: one, spawns: 0 }));
    const few = [1, 2, 3].map(() => bench.spawn({ parent: other }));
    const before = bench.started().length;
    for (let turn = 0; few.some(({ phase }) => phase === 'queued'); turn++) {
      const running = [...many, ...few].find(({ phase }) => phase === 'running');
      if (!running || turn > 10) break;
      bench.end(running);
    }
    const turns = bench.started().slice(before);
    expect(few.map(({ lineage }) => turns.indexOf(lineage.thread))).toEqual([1, 3, 5]);
  });

  test('starts at most max_concurrent_children of one parent, waiting ones included', () => {
    const bench = createHostBench({ concurrency: { max_total_threads: 100, max_concurrent_children: 2 } });
    const parent = bench.spawn();
    const children = Array.from({ length: 4 }, () => bench.spawn({ parent }));
    expect(children.map(({ phase }) => phase)).toEqual(['running', 'running', 'queued', 'queued']);
    for (const child of children) {
      expect(child.phase).toBe('running');
      bench.end(child);
    }
  });

  test('does not count a child that was cancelled in line against its parent’s others', () => {
    const bench = createHostBench({ concurrency: { max_total_threads: 100, max_concurrent_children: 1 } });
    const parent = bench.spawn();
    const [first, second, third] = [1, 2, 3].map(() => bench.spawn({ parent }));
    bench.host.tell({ type: 'CANCEL', thread: second?.lineage.thread ?? 0, reason: 'x' });
    bench.commit();
    if (first) bench.end(first);
    expect(third?.phase).toBe('running');
    const fourth = bench.spawn({ parent });
    expect(fourth.phase).toBe('queued');
  });

  test('does not count it either when it has been forgotten before its turn came', () => {
    const bench = createHostBench({
      concurrency: { max_total_threads: 100, max_concurrent_children: 1 },
      coordination: { completion_event_ttl_seconds: 1 },
    });
    const parent = bench.spawn();
    const first = bench.spawn({ parent });
    const second = bench.spawn({ parent });
    bench.host.tell({ type: 'CANCEL', thread: second.lineage.thread, reason: 'x' });
    bench.commit();
    bench.clock.advance(5_000);
    bench.end(bench.spawn());
    expect(bench.host.table.get(second.lineage.thread)).toBeUndefined();
    bench.end(first);
    expect(bench.spawn({ parent }).phase).toBe('running');
  });
});

describe('A suspended thread', () => {
  test('holds no slot, and stands in line again when it is resumed', () => {
    const bench = withSlots(1);
    const [first, second] = [bench.spawn(), bench.spawn()];
    suspend(bench, first);
    expect([first.phase, second.phase]).toEqual(['suspended', 'running']);
    resume(bench, first);
    bench.commit();
    expect(first.phase).toBe('queued');
    bench.end(second);
    expect(first.phase).toBe('running');
    expect(bench.sent.at(-1)).toMatchObject({ type: 'resume', lineage: first.lineage });
  });

  test.each([
    [false, 'had none'],
    [true, 'had one'],
  ])('is read back with its children (%s) if it %s', (hasChildren, _name) => {
    const bench = createHostBench();
    const entry = bench.spawn();
    if (hasChildren) bench.end(bench.spawn({ parent: entry }));
    suspend(bench, entry);
    resume(bench, entry);
    bench.commit();
    expect(bench.sent.at(-1)).toMatchObject({ type: 'resume', hasChildren });
  });

  test('that is resumed while its cancellation is being written is not started again', () => {
    const bench = withSlots(1);
    const entry = bench.spawn();
    suspend(bench, entry);
    bench.host.tell({ type: 'CANCEL', thread: entry.lineage.thread, reason: 'no' });
    expect(resume(bench, entry)).toMatchObject({ ok: false });
    bench.commit();
    expect(bench.started()).toEqual([1]);
    expect(entry).toMatchObject({ phase: 'ended', ending: { status: 'cancelled' } });
    expect(bench.host.slots.taken()).toBe(0);
  });

  test('that was cancelled while it was being suspended ends', () => {
    const bench = createHostBench();
    const entry = bench.spawn();
    bench.host.tell({ type: 'CANCEL', thread: entry.lineage.thread, reason: 'no' });
    suspend(bench, entry);
    bench.commit();
    expect(entry).toMatchObject({ phase: 'ended', ending: { status: 'cancelled' } });
  });
});

test('A place to come back that a thread has left is not taken for one of its next wait', () => {
  const bench = withSlots(1);
  const waiting = Array.from({ length: MOST_RETURNS + 1 }, () => waits(bench, bench.spawn()));
  const holder = bench.spawn();
  for (const entry of waiting) answerThread(bench.host, entry, () => undefined);
  const last = waiting.pop();
  if (!last) throw new Error('there are some');
  suspend(bench, last);
  resume(bench, last);
  bench.commit();
  // After so many that came back, one that starts: it is that one, before its place in the line of those comes.
  for (const entry of [holder, ...waiting]) bench.end(entry);
  expect(last.phase).toBe('running');
  waits(bench, last);
  expect([last.phase, bench.host.slots.taken()]).toEqual(['waiting', 0]);
});

test('Thousands that come back and wait on for their children go through the line one after the other', () => {
  const bench = withSlots(1);
  const joining = Array.from({ length: 5_000 }, () => {
    const entry = waits(bench, bench.spawn());
    entry.joining = true;
    entry.liveChildren = 1;
    return entry;
  });
  const holder = bench.spawn();
  let answered = 0;
  for (const entry of joining) answerThread(bench.host, entry, () => answered++);
  expect(answered).toBe(0);
  bench.end(holder);
  // So many a turn of the event loop.
  expect(answered).toBe(250);
  for (let turns = 1; turns < 20; turns++) bench.host.tell({ type: 'SLOT_FREE' });
  expect([answered, bench.host.slots.taken(), bench.problems]).toEqual([5_000, 0, []]);
});

/** A thread waits for something, as its worker would say it. */
function waits({ host }: HostBench, entry: ThreadEntry): ThreadEntry {
  (entry.openWaits ??= new Set()).add(openWait());
  host.tell({ type: 'WAITING', thread: entry.lineage.thread });
  return entry;
}

function withSlots(max: number, more: Resilience = {}): HostBench {
  return createHostBench({ concurrency: { max_total_threads: max, max_concurrent_children: 10 }, ...more });
}

function order(bench: HostBench): object {
  const limits = bench.host.config.resilience.limits.defaults;
  return {
    spec: packSpec(splitSpec({ ...wholeSpecWith(1), limits })),
    parent: undefined,
    done: () => undefined,
  };
}

/** A parent waits for a child as its worker would say it; returns how often it has been answered. */
function wait(bench: HostBench, parent: ThreadEntry, child: ThreadEntry, timeoutMs?: number): () => number {
  let answers = 0;
  const wait = openWait();
  (parent.openWaits ??= new Set()).add(wait);
  let timer: ReturnType<typeof bench.clock.setTimer> | undefined;
  const answer = (): void => {
    child.waiters?.delete(answer);
    if (timer !== undefined) bench.clock.clearTimer(timer);
    answerThread(bench.host, parent, () => {
      parent.openWaits?.delete(wait);
      answers++;
    });
  };
  (child.waiters ??= new Set()).add(answer);
  if (timeoutMs !== undefined) timer = bench.clock.setTimer(timeoutMs, answer);
  bench.host.tell({ type: 'WAITING', thread: parent.lineage.thread });
  return () => answers;
}

function suspend({ host }: HostBench, { lineage }: ThreadEntry): void {
  host.tell({ type: 'SUSPENDED', thread: lineage.thread, reason: 'user', cost: undefined });
}

function resume({ host }: HostBench, entry: ThreadEntry): unknown {
  let answer: unknown;
  const done = (given: unknown): void => void (answer = given);
  host.tell({ type: 'RESUME', order: { entry, message: 'go on', limits: undefined, done } });
  return answer;
}
