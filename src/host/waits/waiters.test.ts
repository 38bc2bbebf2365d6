import { describe, expect, test } from 'vitest';
import { createHostBench, waitersOf } from '../../../test/fixtures/host-bench.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { addWaiter, removeWaiter, wake } from './waiters.ts';

describe.each([1, 2, 3])('%i who wait for a thread', (count) => {
  function waiting(): {
    entry: ThreadEntry;
    woken: number[];
    waiters: (() => void)[];
    add: (waiter: () => void) => void;
  } {
    const bench = createHostBench();
    const entry = bench.spawn();
    const woken: number[] = [];
    const waiters = Array.from({ length: count }, (_, index) => () => void woken.push(index));
    const add = (waiter: () => void): void => addWaiter(bench.host.table, entry, waiter);
    for (const waiter of waiters) add(waiter);
    return { entry, woken, waiters, add };
  }

  test('are woken once each, in the order they came', () => {
    const { entry, woken } = waiting();
    expect(waitersOf(entry)).toBe(count);
    wake(entry);
    wake(entry);
    expect(woken).toEqual(Array.from({ length: count }, (_, index) => index));
    expect(entry.waiters).toBeUndefined();
  });

  test('may leave, in any order, and the thread is waited for by nobody then', () => {
    const { entry, woken, waiters } = waiting();
    for (const waiter of waiters.toReversed()) removeWaiter(entry, waiter);
    for (const waiter of waiters) removeWaiter(entry, waiter);
    wake(entry);
    expect([woken, entry.waiters]).toEqual([[], undefined]);
  });

  test('may wait again when they are woken: for the next time', () => {
    const { entry, woken, add } = waiting();
    add(() => add(() => void woken.push(7)));
    wake(entry);
    expect([woken.length, waitersOf(entry)]).toEqual([count, 1]);
    wake(entry);
    expect(woken.at(-1)).toBe(7);
  });
});
