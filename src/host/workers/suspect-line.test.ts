import { describe, expect, test } from 'vitest';
import { createHostBench, specWith, type HostBench } from '../../../test/fixtures/host-bench.ts';
import type { Apart, Crew } from './crew.ts';
import { suspendParked } from '../rest/parked-ending.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

describe('Suspects for whom there is no worker', () => {
  test('wait without a slot, and go part by part as workers become free', () => {
    const { bench, suspects, free } = open();
    const [first, second] = [suspects(2), suspects(1)];
    expect([bench.started(), bench.host.slots.taken()]).toEqual([[], 0]);
    free();
    expect(bench.started()).toEqual(numbersOf(first));
    free();
    expect(bench.started()).toEqual(numbersOf([...first, ...second]));
  });

  test('keep nobody waiting once they are cancelled', () => {
    const { bench, suspects, free } = open();
    const [first, second] = [suspects(1), suspects(1)];
    cancel(bench, first);
    free();
    expect(bench.started()).toEqual(numbersOf(second));
  });

  test('give their turn to the next ones when they have left the line', () => {
    const { bench, suspects, free } = open(1);
    const busy = bench.spawn();
    const [first, second] = [suspects(1), suspects(1)];
    free();
    cancel(bench, first);
    bench.end(busy);
    expect(bench.started()).toEqual(numbersOf([busy, ...second]));
  });

  test('that were called are not overtaken by newcomers on the way to their slots', () => {
    const { bench, suspects, free } = open(1);
    const first = suspects(1);
    const busy = bench.spawn();
    const newcomer = suspects(1);
    free();
    bench.end(busy);
    expect(bench.started()).toEqual(numbersOf([busy, ...first]));
    for (const entry of first) bench.end(entry);
    expect(bench.started()).toEqual(numbersOf([busy, ...first]));
    free();
    expect(bench.started()).toEqual(numbersOf([busy, ...first, ...newcomer]));
  });

  test('keep their places when one whose turn has come is gone, and no worker is free', () => {
    const { bench, suspects, free } = open(1);
    const [first, second] = [suspects(1), suspects(1)];
    const busy = bench.spawn();
    const gone = suspects(1);
    cancel(bench, gone);
    bench.end(busy);
    expect(bench.started()).toEqual(numbersOf([busy]));
    free();
    expect(bench.started()).toEqual(numbersOf([busy, ...first]));
    for (const entry of first) bench.end(entry);
    free();
    expect(bench.started()).toEqual(numbersOf([busy, ...first, ...second]));
  });

  test('leave the worker that was kept for them to the next ones when they are cancelled on the way to it', () => {
    const { bench, suspects, free } = open(1);
    const [first, second] = [suspects(1), suspects(1)];
    const busy = bench.spawn();
    free();
    cancel(bench, first);
    bench.end(busy);
    expect(bench.started()).toEqual(numbersOf([busy, ...second]));
  });

  test('that are suspended and resumed keep their place', () => {
    const { bench, suspects, free } = open();
    const [first, second] = [suspects(1), suspects(1)];
    const [entry] = first;
    if (!entry) throw new Error('it was admitted');
    suspendParked(bench.host, entry, 'user');
    bench.commit();
    bench.host.tell({ type: 'RESUME', order: { entry, message: undefined, limits: undefined, done: () => undefined } });
    bench.commit();
    free();
    expect(bench.started()).toEqual(numbersOf(first));
    free();
    expect(bench.started()).toEqual(numbersOf([...first, ...second]));
  });

  test('do not wait for ever: every ten seconds a part goes all the same', () => {
    const { bench, suspects } = open();
    const [first, second] = [suspects(1), suspects(1)];
    bench.clock.advance(9_999);
    expect(bench.started()).toEqual([]);
    bench.clock.advance(1);
    expect(bench.started()).toEqual(numbersOf(first));
    bench.clock.advance(10_000);
    expect(bench.started()).toEqual(numbersOf([...first, ...second]));
  });
});

/** A host whose workers for suspects are all taken by others, until they are freed one by one. */
function open(slots = 100) {
  let others = 4;
  const placed = new Set<Apart>();
  const crew: Partial<Crew> = {
    hasWorkerFor: (apart) => placed.has(apart),
    countApart: () => others + placed.size,
    placeFor({ apart }) {
      if (apart) placed.add(apart);
      return 0;
    },
  };
  const bench = createHostBench({ concurrency: { max_total_threads: slots } }, { crew });
  const suspects = (count: number): ThreadEntry[] => {
    const apart: Apart = { worker: undefined };
    return Array.from({ length: count }, () => {
      bench.host.tell({ type: 'PREPARED', order: { spec: SPEC, parent: undefined, done: () => undefined } });
      const entry = [...bench.host.table.live()].at(-1);
      if (!entry) throw new Error('it was admitted');
      entry.apart = apart;
      bench.commit();
      return entry;
    });
  };
  const free = (): void => {
    others--;
    bench.host.suspects.look();
    bench.commit();
  };
  return { bench, suspects, free };
}

const SPEC = specWith(1);

function cancel(bench: HostBench, entries: readonly ThreadEntry[]): void {
  for (const { lineage } of entries) bench.host.tell({ type: 'CANCEL', thread: lineage.thread, reason: 'no' });
  bench.commit();
}

function numbersOf(entries: readonly ThreadEntry[]): number[] {
  return entries.map(({ lineage }) => lineage.thread);
}
