import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { threadCpuUs } from '../../../bench/thread-cpu.ts';
import { createFairQueue, type FairQueue } from './fair-queue.ts';

describe('A fair queue', () => {
  test('is first come, first served within an owner', () => {
    const queue = filled({ 1: ['a', 'b', 'c'] });
    expect(drain(queue)).toEqual(['a', 'b', 'c']);
  });

  test('takes one item of each owner in turn', () => {
    const queue = filled({ 1: ['a1', 'a2', 'a3', 'a4'], 2: ['b1'], 3: ['c1', 'c2'] });
    expect(drain(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3', 'a4']);
  });

  test('lets an owner with 3 items finish within 3 rounds beside one with 10,000', () => {
    const queue = createFairQueue<string>();
    for (let no = 0; no < 10_000; no++) queue.push(1, 'many');
    for (let no = 0; no < 3; no++) queue.push(2, 'few');
    const first = Array.from({ length: 6 }, () => queue.shift()?.item);
    expect(first.filter((item) => item === 'few')).toHaveLength(3);
  });

  test('says whose item it was', () => {
    const queue = filled({ 7: ['a'] });
    expect(queue.shift()).toEqual({ owner: 7, item: 'a' });
    expect(queue.shift()).toBeUndefined();
  });

  test('takes nothing of a held owner, and does not let it stop the others', () => {
    const queue = filled({ 1: ['a1', 'a2'], 2: ['b1', 'b2'] });
    queue.hold(1);
    expect(drain(queue)).toEqual(['b1', 'b2']);
    expect(queue.size()).toBe(2);
  });

  test('goes on with a released owner, in the order its items came', () => {
    const queue = filled({ 1: ['a1', 'a2'], 2: ['b1'] });
    queue.hold(1);
    queue.push(1, 'a3');
    expect(drain(queue)).toEqual(['b1']);
    queue.release(1);
    expect(drain(queue)).toEqual(['a1', 'a2', 'a3']);
  });

  test('holds an owner that has nothing in line yet', () => {
    const queue = createFairQueue<string>();
    queue.hold(1);
    queue.push(1, 'a');
    expect(queue.shift()).toBeUndefined();
    queue.release(1);
    expect(queue.shift()?.item).toBe('a');
  });

  test('takes no item twice when an owner is held and released before its turn', () => {
    const queue = filled({ 1: ['a1', 'a2'], 2: ['b1'] });
    for (let time = 0; time < 3; time++) {
      queue.hold(1);
      queue.release(1);
    }
    expect(drain(queue)).toEqual(['a1', 'b1', 'a2']);
  });

  test('ignores the release of an owner that is not held or not known', () => {
    const queue = filled({ 1: ['a'] });
    queue.release(1);
    queue.release(99);
    expect(drain(queue)).toEqual(['a']);
  });

  test.each([
    ['all in turn', 0, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']],
    ['those who have lost their turn after the others', 3, ['a3', 'b1', 'b2']],
  ])(
    'gives back everything when it is cleared, held or not, in the order it would have come: %s',
    (_how, taken, order) => {
      const queue = filled({ 1: ['a1', 'a2', 'a3'], 2: ['b1', 'b2'], 3: ['c1'] });
      queue.hold(2);
      const before = Array.from({ length: taken }, () => queue.shift()?.item);
      expect(before).toEqual(['a1', 'c1', 'a2'].slice(0, taken));
      expect(queue.clear()).toEqual(order);
      expect([queue.size(), queue.shift()]).toEqual([0, undefined]);
    },
  );

  test('works as before after it was cleared', () => {
    const queue = filled({ 1: ['a1'] });
    queue.clear();
    queue.push(1, 'a2');
    expect(drain(queue)).toEqual(['a2']);
  });

  test('does what a naive queue does, whatever is asked of it', () => {
    const owner = fc.integer({ min: 1, max: 4 });
    const step = fc.oneof(
      fc.record({ type: fc.constant('push' as const), owner }),
      fc.record({ type: fc.constantFrom('hold' as const, 'release' as const), owner }),
      fc.record({ type: fc.constant('shift' as const), owner }),
      fc.record({ type: fc.constant('shift' as const), owner }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const real = createFairQueue<number>();
        const naive = createNaiveQueue();
        steps.forEach(({ type, owner }, at) => {
          const results = [real, naive].map((queue) => {
            if (type === 'push') return queue.push(owner, at);
            return type === 'shift' ? queue.shift() : queue[type](owner);
          });
          expect(results[0]).toEqual(results[1]);
          expect(real.size()).toBe(naive.size());
        });
        expect(new Set(real.clear())).toEqual(new Set(naive.clear()));
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['one owner with 100,000 items', 1, 100_000],
    ['100,000 owners with one item', 100_000, 1],
    ['300 owners with 300 items', 300, 300],
  ])('costs the same per operation with %s as with a few', (_name, owners, items) => {
    const few = bestTime(() => run(10, 10, 1000));
    const many = bestTime(() => run(owners, items, 1));
    // Anything that goes through the owners or the items would cost ten thousand times as much; memory costs a few times.
    expect(many / (2 * owners * items)).toBeLessThan((100 * few) / (2 * 10 * 10 * 1000));
  });

  test('does not go through held owners again and again', () => {
    const count = 20_000;
    const queue = createFairQueue<number>();
    for (let owner = 1; owner <= count; owner++) {
      queue.push(owner, owner);
      queue.hold(owner);
    }
    const start = threadCpuUs();
    for (let round = 0; round < count; round++) queue.shift();
    // Going through 20,000 held owners 20,000 times takes many seconds.
    expect(threadCpuUs() - start).toBeLessThan(1_000_000);
    for (let owner = 1; owner <= count; owner++) queue.release(owner);
    expect(drain(queue)).toHaveLength(count);
  });
});

/** A queue that is obviously right: lists, searched from the front. */
function createNaiveQueue(): Omit<FairQueue<number>, 'clear'> & { clear(): number[] } {
  const items = new Map<number, number[]>();
  const held = new Set<number>();
  let ring: number[] = [];
  const enter = (owner: number): void => {
    if (!ring.includes(owner) && !held.has(owner) && (items.get(owner)?.length ?? 0) > 0) ring.push(owner);
  };
  return {
    push(owner, item) {
      items.set(owner, [...(items.get(owner) ?? []), item]);
      enter(owner);
    },
    shift() {
      while (ring[0] !== undefined) {
        const [owner] = ring;
        ring = ring.slice(1);
        if (held.has(owner)) continue;
        const item = items.get(owner)?.shift();
        if (item === undefined) continue;
        enter(owner);
        return { owner, item };
      }
      return undefined;
    },
    hold: (owner) => void held.add(owner),
    release(owner) {
      held.delete(owner);
      enter(owner);
    },
    size: () => [...items.values()].flat().length,
    clear: () => [...items.values()].flat(),
  };
}

function filled(items: Readonly<Record<number, readonly string[]>>): FairQueue<string> {
  const queue = createFairQueue<string>();
  for (const [owner, list] of Object.entries(items)) for (const item of list) queue.push(Number(owner), item);
  return queue;
}

function drain<Item>(queue: FairQueue<Item>): Item[] {
  const items: Item[] = [];
  for (let next = queue.shift(); next; next = queue.shift()) items.push(next.item);
  return items;
}

function run(owners: number, items: number, rounds: number): void {
  for (let round = 0; round < rounds; round++) {
    const queue = createFairQueue<number>();
    for (let owner = 1; owner <= owners; owner++) for (let item = 0; item < items; item++) queue.push(owner, item);
    while (queue.shift()) continue;
  }
}

/** The best of three, in milliseconds: what the machine does beside it only adds. */
function bestTime(work: () => void): number {
  const times = [1, 2, 3].map(() => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return Math.min(...times);
}
