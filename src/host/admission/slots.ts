import type { ThreadNo } from '../../core/ids.ts';
import { createFairQueue, type FairQueue } from './fair-queue.ts';
import { createFifo } from '../../core/fifo.ts';
import { createNumberedMap } from '../../core/paged-map.ts';

/** How many threads may run (`concurrency` of `resilience.yaml`). */
export type SlotLimits = { readonly maxTotalThreads: number; readonly maxConcurrentChildren: number };

/** Who waits for a slot: a thread to be started, or one that waited for its children. */
export type Turn = { readonly thread: ThreadNo; readonly owner: ThreadNo; readonly returning: boolean };

/**
 * The slots of a runtime.
 *
 * Invariants:
 * 1. At most `maxTotalThreads` slots are taken.
 * 2. A parent has at most `maxConcurrentChildren` children that hold a slot or wait for children of their own.
 * 3. A thread that comes back from waiting goes before one that has not started: few are open at a time. But after
 *    `MOST_RETURNS` in a row one is started, if any may: threads that wait a moment over and over would keep it out.
 * 4. Whoever is to be passed over has a place in line.
 */
export interface Slots {
  /** Puts a thread in line. `owner` is its parent, 0 for a root. */
  enqueue(owner: ThreadNo, thread: ThreadNo): void;
  /** A thread that stands in line waits no more: its place stays, and is passed over when its turn comes. */
  passOver(thread: ThreadNo): void;
  /** One that was to be passed over waits for its turn again. */
  waitAgain(thread: ThreadNo): void;
  /** Puts a waiting thread in line to go on. */
  comeBack(thread: ThreadNo): void;
  /** The next thread to get a slot, which it holds from now on; undefined when none is free or none waits. */
  next(): Turn | undefined;
  /** Gives a slot back while its thread waits for children. */
  yieldSlot(): void;
  /** The thread has left: its place among its parent's children is free, and its slot if it held one. */
  leave(owner: ThreadNo, heldSlot: boolean): void;
  taken(): number;
  /** Places in the line of threads that have not started; also of those that have left it. */
  queued(): number;
  /** Threads that have not started, and wait for their turn. */
  waitingInLine(): number;
  /** Other limits hold from now on; nothing that holds a slot loses it. O(parents with running children). */
  resize(limits: SlotLimits): void;
  /** Empties the line of threads that have not started. */
  clear(): ThreadNo[];
}

/** Owner of root threads: they are not limited among each other. */
export const ROOT_OWNER = 0;

/** Threads that come back in a row before one is started. */
export const MOST_RETURNS = 8;

/** Makes the slots. Every operation is O(1). */
export function createSlots(limits: SlotLimits): Slots {
  let { maxTotalThreads } = limits;
  const starting = createStarting(limits);
  const returning = createFifo<ThreadNo>();
  /** Those in line that are passed over. */
  const passed = createNumberedMap<true>();
  let taken = 0;
  let returned = 0;

  const takeBack = (): Turn | undefined => {
    const thread = returning.shift();
    if (thread === undefined) return undefined;
    returned++;
    return { thread, owner: ROOT_OWNER, returning: true };
  };
  const start = (): Turn | undefined => {
    const next = starting.next();
    if (!next) return undefined;
    returned = 0;
    passed.delete(next.item);
    return { thread: next.item, owner: next.owner, returning: false };
  };

  return {
    enqueue: (owner, thread) => starting.push(owner, thread),
    passOver(thread) {
      // In a line that was emptied there is no place.
      if (passed.size() < starting.size()) passed.set(thread, true);
    },
    waitAgain: (thread) => void passed.delete(thread),
    comeBack(thread) {
      returning.push(thread);
    },
    next() {
      if (taken >= maxTotalThreads) return undefined;
      const turn = (returned < MOST_RETURNS ? takeBack() : undefined) ?? start() ?? takeBack();
      if (turn) taken++;
      return turn;
    },
    yieldSlot() {
      taken--;
    },
    leave(owner, heldSlot) {
      if (heldSlot) taken--;
      starting.leave(owner);
    },
    taken: () => taken,
    queued: () => starting.size(),
    waitingInLine: () => starting.size() - passed.size(),
    resize(next) {
      ({ maxTotalThreads } = next);
      starting.resize(next);
    },
    clear() {
      passed.clear();
      return starting.clear();
    },
  };
}

/** The line of threads that have not started; parents with as many children as allowed are held back in it. */
interface Starting extends Pick<FairQueue<ThreadNo>, 'push' | 'size' | 'clear'> {
  next(): ReturnType<FairQueue<ThreadNo>['shift']>;
  leave(owner: ThreadNo): void;
  resize(limits: SlotLimits): void;
}

/** A parent, and how many of its children hold a slot or wait for children of their own. */
type Family = { readonly owner: ThreadNo; running: number };

function createStarting(limits: SlotLimits): Starting {
  let { maxConcurrentChildren } = limits;
  const queue = createFairQueue<ThreadNo>();
  const families = createNumberedMap<Family>();
  return {
    push: (owner, thread) => queue.push(owner, thread),
    size: () => queue.size(),
    clear: () => queue.clear(),
    next() {
      const next = queue.shift();
      if (!next || next.owner === ROOT_OWNER) return next;
      const { owner } = next;
      const family = families.get(owner) ?? { owner, running: 0 };
      family.running++;
      families.set(owner, family);
      if (family.running >= maxConcurrentChildren) queue.hold(owner);
      return next;
    },
    leave(owner) {
      if (owner === ROOT_OWNER) return;
      const family = families.get(owner);
      if (family && --family.running === 0) families.delete(owner);
      if ((family?.running ?? 0) < maxConcurrentChildren) queue.release(owner);
    },
    resize(next) {
      ({ maxConcurrentChildren } = next);
      for (const { owner, running } of families.values()) {
        if (running >= maxConcurrentChildren) queue.hold(owner);
        else queue.release(owner);
      }
    },
  };
}
