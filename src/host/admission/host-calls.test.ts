import { describe, expect, test } from 'vitest';
import { createHostBench, openWait, specWith, type HostBench } from '../../../test/fixtures/host-bench.ts';
import { ok } from '../../core/result.ts';
import { suspendByUser } from '../handle/create-handle.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { takeOut } from '../workers/lost-thread.ts';
import { answerHostCall, beginHostCall, giveUpHostCall } from './host-calls.ts';

describe('A thread in a function of the embedder that has spawned a child below it', () => {
  test('gives its slot to the child, and has its answer with a slot of its own', () => {
    const { bench, parent, told, answer } = calling();
    const child = spawnBelow(bench, parent);
    expect([parent.phase, child.phase, bench.host.slots.taken()]).toEqual(['waiting', 'running', 1]);
    answer('first');
    expect(told).toEqual([]);
    bench.end(child);
    expect([told, parent.phase, bench.host.slots.taken()]).toEqual([['first'], 'running', 1]);
  });

  test('that was there before the call gives it to that', () => {
    const { bench, parent, answer } = calling();
    const child = spawnBelow(bench, parent);
    answer('first');
    beginHostCall(bench.host, parent, 'second');
    bench.end(bench.spawn());
    expect([parent.phase, child.phase]).toEqual(['waiting', 'running']);
  });

  test('gives it to a child that its model has spawned before, too', () => {
    const { bench, parent, answer } = calling();
    answer('first');
    const child = bench.spawn({ parent });
    beginHostCall(bench.host, parent, 'second');
    expect([parent.phase, child.phase]).toEqual(['waiting', 'running']);
  });

  test('gives it to one that is no longer in memory while it stands in line', () => {
    const { bench, parent, answer } = calling();
    answer('first');
    const child = bench.spawn({ parent });
    bench.host.table.forget(child);
    beginHostCall(bench.host, parent, 'second');
    expect(bench.host.slots.taken()).toBe(0);
  });

  test('keeps it for others than its children', () => {
    const { bench, parent } = calling();
    const other = bench.spawn();
    expect([parent.phase, other.phase]).toEqual(['running', 'queued']);
  });

  test('has its answer at once when its child has ended before, and gives no slot to the next call', () => {
    const { bench, parent, told, answer } = calling();
    bench.end(spawnBelow(bench, parent));
    answer('first');
    expect([told, parent.phase, bench.host.slots.taken()]).toEqual([['first'], 'running', 1]);
    beginHostCall(bench.host, parent, 'second');
    expect(parent.phase).toBe('running');
  });

  test('needs none for an answer while another call is open, and one for the last', () => {
    const { bench, parent, told, answer } = calling();
    beginHostCall(bench.host, parent, 'second');
    const child = spawnBelow(bench, parent);
    answer('first');
    expect([told, parent.phase]).toEqual([['first'], 'waiting']);
    answer('second');
    expect(told).toEqual(['first']);
    bench.end(child);
    expect([told, parent.phase]).toEqual([['first', 'second'], 'running']);
  });

  test('needs none for an answer while it waits for others', () => {
    const { bench, parent, told, answer } = calling();
    spawnBelow(bench, parent);
    parent.openWaits = new Set([openWait()]);
    answer('first');
    expect([told, parent.phase]).toEqual([['first'], 'waiting']);
  });

  test('that has got its slot back for something else gives it back again', () => {
    const { bench, parent } = calling();
    const child = spawnBelow(bench, parent);
    beginHostCall(bench.host, parent, 'second');
    giveUpHostCall(bench.host, parent, 'first');
    expect([parent.phase, parent.returning]).toEqual(['waiting', undefined]);
    giveUpHostCall(bench.host, parent, 'second');
    beginHostCall(bench.host, parent, 'third');
    bench.end(spawnBelow(bench, parent));
    expect([parent.phase, child.phase]).toEqual(['waiting', 'running']);
  });

  test('goes on with a slot when its call is given up', () => {
    const { bench, parent } = calling();
    const child = spawnBelow(bench, parent);
    giveUpHostCall(bench.host, parent, 'first');
    bench.end(child);
    expect([parent.phase, bench.host.slots.taken()]).toEqual(['running', 1]);
  });

  test('is suspended at its next step: the function ends', () => {
    const { bench, parent } = calling();
    spawnBelow(bench, parent);
    suspendByUser(bench.host, parent);
    expect(bench.sent.at(-1)).toMatchObject({ type: 'suspend', now: false });
  });

  test('that is cancelled meanwhile leaves no slot behind', () => {
    const { bench, parent, told, answer } = calling();
    spawnBelow(bench, parent);
    bench.host.tell({ type: 'CANCEL', thread: parent.lineage.thread, reason: 'no' });
    bench.end(parent, 'cancelled');
    answer('first');
    expect([told, bench.host.slots.taken()]).toEqual([['first'], 1]);
  });
});

/** What may come between, while the one slot is the child's. */
type Lent = ReturnType<typeof calling> & { readonly child: ThreadEntry };

describe('Of a slot that was lent there is one, and it is free in the end', () => {
  test.each<[string, (lent: Lent) => void]>([
    ['nothing comes between', ({ answer }) => answer('first')],
    [
      'there are several children',
      ({ bench, parent, answer }) => {
        spawnBelow(bench, parent);
        spawnBelow(bench, parent);
        answer('first');
      },
    ],
    [
      'there are several calls',
      ({ bench, parent, answer }) => {
        beginHostCall(bench.host, parent, 'second');
        answer('second');
        answer('first');
      },
    ],
    [
      'the call is given up, and answers later',
      ({ bench, parent, answer }) => {
        giveUpHostCall(bench.host, parent, 'first');
        answer('first');
      },
    ],
    [
      'the call is given up when its answer stands in line',
      ({ bench, parent, answer }) => {
        answer('first');
        giveUpHostCall(bench.host, parent, 'first');
      },
    ],
    [
      'the parent is cancelled',
      ({ bench, parent, answer }) => {
        bench.host.tell({ type: 'CANCEL', thread: parent.lineage.thread, reason: 'no' });
        giveUpHostCall(bench.host, parent, 'first');
        bench.end(parent, 'cancelled');
        answer('first');
      },
    ],
    [
      'the parent is cancelled when its answer stands in line',
      ({ bench, parent, answer }) => {
        answer('first');
        bench.end(parent, 'cancelled');
      },
    ],
    [
      'the parent is suspended',
      ({ bench, parent, answer }) => {
        suspended(bench, parent);
        answer('first');
      },
    ],
    [
      'the parent is suspended and resumed, and the first call answers when it has made another one',
      ({ bench, parent, answer }) => {
        suspended(bench, parent);
        resumed(bench, parent);
        bench.end(bench.spawn());
        beginHostCall(bench.host, parent, 'second');
        answer('first');
        answer('second');
      },
    ],
    [
      'the parent is suspended and resumed when its answer stands in line',
      ({ bench, parent, answer }) => {
        answer('first');
        suspended(bench, parent);
        resumed(bench, parent);
      },
    ],
    [
      'the worker of the parent is lost',
      ({ bench, parent, answer }) => {
        takeOut(bench.host, parent);
        answer('first');
        bench.host.parking.delete(parent);
        parent.order = { kind: 'resume' };
        bench.host.tell({ type: 'ADMITTED', thread: parent.lineage.thread });
      },
    ],
    [
      'the child is suspended',
      ({ bench, child, answer }) => {
        suspended(bench, child);
        answer('first');
      },
    ],
    [
      'the child hands over',
      ({ bench, child, answer }) => {
        bench.handOver(child);
        answer('first');
      },
    ],
    [
      'the runtime closes',
      ({ bench, parent, child, answer }) => {
        bench.host.tell({ type: 'DRAIN', graceMs: 0 });
        suspended(bench, parent, 'shutdown');
        suspended(bench, child, 'shutdown');
        answer('first');
      },
    ],
  ])('if %s', (_name, happens) => {
    const it = calling();
    const { bench, parent } = it;
    happens({ ...it, child: spawnBelow(bench, parent) });
    const { slots, table } = bench.host;
    const holders = (): ThreadEntry[] => [...table.live()].filter(({ phase }) => phase === 'running');
    for (let [one] = holders(); one; [one] = holders()) {
      expect([slots.taken(), holders().length]).toEqual([1, 1]);
      bench.end(one);
      bench.commit();
    }
    expect([slots.taken(), [...table.live()].filter(({ phase }) => phase === 'waiting')]).toEqual([0, []]);
  });
});

/** A runtime with one slot, whose holder has called a function. */
function calling() {
  const bench = createHostBench({ concurrency: { max_total_threads: 1 } });
  const parent = bench.spawn();
  const told: string[] = [];
  beginHostCall(bench.host, parent, 'first');
  const answer = (key: string): void => answerHostCall(bench.host, parent, { key, tell: () => void told.push(key) });
  return { bench, parent, told, answer };
}

function suspended({ host }: HostBench, { lineage }: ThreadEntry, reason: 'user' | 'shutdown' = 'user'): void {
  host.tell({ type: 'SUSPENDED', thread: lineage.thread, reason, cost: undefined });
}

function resumed(bench: HostBench, entry: ThreadEntry): void {
  const order = { entry, message: undefined, limits: undefined, done: () => undefined };
  bench.host.tell({ type: 'RESUME', order });
  bench.commit();
}

/** As `runtime.spawn` with a parent does. */
function spawnBelow(bench: HostBench, parent: ThreadEntry): ThreadEntry {
  const { host, sent } = bench;
  const request = { directive: 'demo/task', inputs: {}, parent: undefined };
  const plain = { limits: undefined, model: undefined, outputSchema: undefined };
  let child: ThreadEntry | undefined;
  const done = (answer: { readonly ok: boolean; readonly value?: ThreadEntry }): void => void (child = answer.value);
  host.tell({ type: 'SPAWN', order: { request: { ...request, ...plain }, parent, done } });
  const asked = sent.findLast((command) => command.type === 'prepare');
  host.questions.answer(asked?.ref ?? 0, ok(specWith(1)));
  bench.commit();
  if (!child) throw new Error('it was not admitted');
  return child;
}
