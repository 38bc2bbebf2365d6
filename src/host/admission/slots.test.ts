import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSlots, MOST_RETURNS, ROOT_OWNER, type Slots } from './slots.ts';

describe('The slots', () => {
  test('go to threads in line until none is free (invariant 1)', () => {
    const slots = createSlots({ maxTotalThreads: 2, maxConcurrentChildren: 5 });
    for (const thread of [1, 2, 3]) slots.enqueue(ROOT_OWNER, thread);
    expect([slots.next()?.thread, slots.next()?.thread, slots.next()]).toEqual([1, 2, undefined]);
    expect([slots.taken(), slots.queued()]).toEqual([2, 1]);
  });

  test('are free again when a thread leaves', () => {
    const slots = createSlots({ maxTotalThreads: 1, maxConcurrentChildren: 5 });
    slots.enqueue(ROOT_OWNER, 1);
    slots.enqueue(ROOT_OWNER, 2);
    slots.next();
    slots.leave(ROOT_OWNER, true);
    expect(slots.next()).toMatchObject({ thread: 2, returning: false });
  });

  test('are free while a thread waits for its children, and not given back twice when it ends so', () => {
    const slots = createSlots({ maxTotalThreads: 1, maxConcurrentChildren: 5 });
    slots.enqueue(ROOT_OWNER, 1);
    slots.next();
    slots.yieldSlot();
    expect(slots.taken()).toBe(0);
    slots.leave(ROOT_OWNER, false);
    expect(slots.taken()).toBe(0);
  });

  test('are not waited for by who is to be passed over, until its turn has come or it waits again', () => {
    const slots = createSlots({ maxTotalThreads: 1, maxConcurrentChildren: 5 });
    for (const thread of [1, 2, 3]) slots.enqueue(ROOT_OWNER, thread);
    for (const thread of [1, 1, 2]) slots.passOver(thread);
    expect([slots.queued(), slots.waitingInLine()]).toEqual([3, 1]);
    slots.waitAgain(2);
    expect(slots.waitingInLine()).toBe(2);
    expect([slots.next()?.thread, slots.waitingInLine()]).toEqual([1, 2]);
    slots.passOver(2);
    slots.clear();
    slots.passOver(3);
    expect(slots.waitingInLine()).toBe(0);
  });

  test('are more or fewer after a resize, and nothing that has one loses it', () => {
    const slots = createSlots({ maxTotalThreads: 2, maxConcurrentChildren: 1 });
    for (const child of [11, 12, 13]) slots.enqueue(1, child);
    expect(take(slots).map(({ thread }) => thread)).toEqual([11]);
    slots.resize({ maxTotalThreads: 2, maxConcurrentChildren: 2 });
    expect(take(slots).map(({ thread }) => thread)).toEqual([12]);
    slots.resize({ maxTotalThreads: 1, maxConcurrentChildren: 1 });
    slots.leave(1, true);
    expect([take(slots), slots.taken()]).toEqual([[], 1]);
    slots.leave(1, true);
    expect(take(slots).map(({ thread }) => thread)).toEqual([13]);
  });

  test('hold back the children of a parent that has as many as allowed, and nobody else (invariant 2)', () => {
    const slots = createSlots({ maxTotalThreads: 10, maxConcurrentChildren: 2 });
    for (const child of [11, 12, 13]) slots.enqueue(1, child);
    slots.enqueue(2, 21);
    expect(take(slots).map(({ thread }) => thread)).toEqual([11, 21, 12]);
    slots.leave(1, true);
    expect(take(slots).map(({ thread }) => thread)).toEqual([13]);
  });

  test('count a child that waits for its own children among its parent’s (invariant 2)', () => {
    const slots = createSlots({ maxTotalThreads: 10, maxConcurrentChildren: 1 });
    slots.enqueue(1, 11);
    slots.enqueue(1, 12);
    take(slots);
    slots.yieldSlot();
    expect(slots.next()).toBeUndefined();
    slots.leave(1, false);
    expect(slots.next()?.thread).toBe(12);
  });

  test('do not limit root threads among each other', () => {
    const slots = createSlots({ maxTotalThreads: 100, maxConcurrentChildren: 1 });
    for (let thread = 1; thread <= 50; thread++) slots.enqueue(ROOT_OWNER, thread);
    expect(take(slots)).toHaveLength(50);
  });

  test('go to a thread that comes back before one that has not started (invariant 3)', () => {
    const slots = createSlots({ maxTotalThreads: 1, maxConcurrentChildren: 5 });
    slots.enqueue(ROOT_OWNER, 1);
    slots.next();
    slots.yieldSlot();
    slots.enqueue(ROOT_OWNER, 2);
    slots.comeBack(1);
    expect(slots.next()).toMatchObject({ thread: 1, returning: true });
    expect(slots.next()).toBeUndefined();
  });

  test('go to one that has not started when many in a row have come back, if it may start (invariant 3)', () => {
    const slots = createSlots({ maxTotalThreads: 2, maxConcurrentChildren: 1 });
    for (const thread of [1, 2]) slots.enqueue(ROOT_OWNER, thread);
    take(slots);
    for (const child of [11, 12]) slots.enqueue(1, child);
    // Both wait a moment, over and over.
    const turns = Array.from({ length: 3 * MOST_RETURNS }, (_, at) => {
      slots.yieldSlot();
      slots.comeBack((at % 2) + 1);
      return take(slots);
    }).flat();
    expect(turns.map(({ thread }) => thread).indexOf(11)).toBe(MOST_RETURNS);
    expect(turns.filter(({ returning }) => !returning)).toMatchObject([{ thread: 11 }]);
  });

  test('leave nothing behind when they are cleared of threads that have not started', () => {
    const slots = createSlots({ maxTotalThreads: 1, maxConcurrentChildren: 1 });
    slots.enqueue(ROOT_OWNER, 1);
    slots.next();
    slots.enqueue(1, 11);
    slots.enqueue(1, 12);
    slots.enqueue(ROOT_OWNER, 2);
    expect(new Set(slots.clear())).toEqual(new Set([11, 12, 2]));
    expect([slots.taken(), slots.queued()]).toEqual([1, 0]);
  });

  test.each([
    [1, 1],
    [2, 1],
    [3, 2],
    [7, 3],
  ])('keep all invariants with %d slots and %d children, whatever threads do', (maxTotalThreads, maxChildren) => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat({ max: 3 }), fc.nat()), { maxLength: 150 }), (steps) => {
        const world = createWorld({ maxTotalThreads, maxConcurrentChildren: maxChildren });
        for (const [action, choice] of steps) {
          world.act(action, choice);
          world.check();
        }
        expect(world.finish()).toEqual([0, 0]);
      }),
      { numRuns: 300 },
    );
  });
});

function take(slots: Slots): { thread: number; returning: boolean }[] {
  const turns: { thread: number; returning: boolean }[] = [];
  for (let turn = slots.next(); turn; turn = slots.next()) turns.push(turn);
  return turns;
}

type State = 'queued' | 'running' | 'waiting' | 'returning' | 'ended';
type Known = { readonly no: number; readonly owner: number; state: State };
type Limits = { readonly maxTotalThreads: number; readonly maxConcurrentChildren: number };

/** Threads that spawn, wait, come back and end as they like, and a count of them that does not use the slots. */
function createWorld(limits: Limits) {
  const slots = createSlots(limits);
  const threads: Known[] = [];
  const inState = (...states: State[]): Known[] => threads.filter(({ state }) => states.includes(state));
  const spawn = (owner: number): void => {
    threads.push({ no: threads.length + 1, owner, state: 'queued' });
    slots.enqueue(owner, threads.length);
  };
  let inARow = 0;
  const assign = (): void => {
    for (let turn = slots.next(); turn; turn = slots.next()) {
      const thread = threads[turn.thread - 1];
      const goesFirst = inARow < MOST_RETURNS && inState('returning').length > 0;
      expect(turn.returning || !goesFirst, 'returning threads go first').toBe(true);
      inARow = turn.returning ? inARow + 1 : 0;
      expect(thread?.state).toBe(turn.returning ? 'returning' : 'queued');
      if (thread) thread.state = 'running';
    }
  };
  const end = (thread: Known): void => {
    const heldSlot = thread.state === 'running';
    thread.state = 'ended';
    slots.leave(thread.owner, heldSlot);
  };
  const yieldSlot = (thread: Known): void => {
    thread.state = 'waiting';
    slots.yieldSlot();
  };
  const comeBack = (thread: Known): void => {
    thread.state = 'returning';
    slots.comeBack(thread.no);
  };

  return {
    /** One of: a new root or child; a thread waits; one comes back; one ends. */
    act(action: number, choice: number) {
      const pick = (list: readonly Known[]): Known | undefined => list[choice % Math.max(1, list.length)];
      const running = pick(inState('running'));
      const waiting = pick(inState('waiting'));
      const leaving = pick(inState('running', 'waiting'));
      if (action === 0) spawn(running && choice % 3 > 0 ? running.no : ROOT_OWNER);
      else if (action === 1 && running) yieldSlot(running);
      else if (action === 2 && waiting) comeBack(waiting);
      else if (action === 3 && leaving) end(leaving);
      assign();
    },
    check() {
      const running = inState('running').length;
      expect(slots.taken()).toBe(running);
      expect(running).toBeLessThanOrEqual(limits.maxTotalThreads);
      expect(slots.queued()).toBe(inState('queued').length);
      const present = Map.groupBy(inState('running', 'waiting', 'returning'), ({ owner }) => owner);
      for (const [owner, children] of present) {
        const most = owner === ROOT_OWNER ? Infinity : limits.maxConcurrentChildren;
        expect(children.length).toBeLessThanOrEqual(most);
      }
      const isFree = running < limits.maxTotalThreads;
      const couldRun = inState('queued').filter(({ owner }) => {
        return owner === ROOT_OWNER || (present.get(owner)?.length ?? 0) < limits.maxConcurrentChildren;
      });
      expect(isFree ? couldRun : [], 'a free slot is never left unused').toEqual([]);
    },
    /** Everybody who runs ends, until nobody is left: nobody is forgotten. Returns slots taken and threads in line. */
    finish(): number[] {
      for (let turn = 0; inState('ended').length < threads.length; turn++) {
        expect(turn, 'somebody can always go on').toBeLessThanOrEqual(2 * threads.length);
        for (const thread of inState('waiting')) comeBack(thread);
        for (const thread of inState('running')) end(thread);
        assign();
      }
      return [slots.taken(), slots.queued()];
    },
  };
}
