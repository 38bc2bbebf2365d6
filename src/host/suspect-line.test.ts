import { describe, expect, test } from 'vitest';
import { createHostBench, specWith, type HostBench } from '../../test/fixtures/host-bench.ts';
import type { ThreadEntry } from './thread-table.ts';

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

/** A host with one place for suspects more each time that one is freed. */
function open(slots = 100) {
  let places = 0;
  const placed = new Set<unknown>();
  const hasPlaceFor = ({ apart }: ThreadEntry): boolean => {
    if (!apart || placed.has(apart)) return true;
    if (!apart.isDue && places === 0) return false;
    if (!apart.isDue) places--;
    placed.add(apart);
    return true;
  };
  const bench = createHostBench({ concurrency: { max_total_threads: slots } }, { hasPlaceFor });
  const suspects = (count: number): ThreadEntry[] => {
    const apart = { worker: undefined, isDue: false };
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
    places++;
    bench.host.suspects.next();
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
