import { describe, expect, test } from 'vitest';
import { admit, END, idOf, scratchStore, step, type ScratchStore } from '../../test/conformance/store-fixture.ts';
import type { ContinueOp } from '../core/store.ts';

const CONTINUED = { to: 'continued', ending: '{"status":"continued"}' } as const;

/** Root 1 (1,000) → child 2 (600) → grandchild 3 (300); thread 2 has spent 50 itself. */
function family(): ScratchStore {
  const project = scratchStore();
  project.store.commit([
    admit(1),
    admit(2, { parent: 1, ceiling: 600 }),
    admit(3, { parent: 2, ceiling: 300 }),
    step(2, 1, { settle: { reserved: 0, actual: 50 }, reserve: 40 }),
  ]);
  return project;
}

/** Thread `of` is continued as `thread`. */
function continuation(of: number, thread: number, root = 1): ContinueOp {
  const { type: _, parent: __, ceiling: ___, ...successor } = admit(thread, { root });
  const end = step(of, 2, { settle: { reserved: 40, actual: 30 }, status: CONTINUED });
  return { type: 'continue', end, successor };
}

const amounts = ({ reader }: ScratchStore, ...threads: readonly number[]): unknown[] =>
  threads.map((thread) => {
    const { actual, committed, max, status } = reader.ledger(thread) ?? {};
    return [actual, committed, max, status];
  });

describe('a continuation', () => {
  test('passes ceiling, spend and reservations on; the parent holds the same before and after', () => {
    using project = family();
    expect(amounts(project, 1)).toEqual([[50, 600, 1_000, 'active']]);
    expect(project.store.commit([continuation(2, 4)])).toEqual([true]);
    expect(amounts(project, 1, 2, 4)).toEqual([
      [80, 600, 1_000, 'active'],
      [80, 380, 600, 'released'],
      [80, 380, 600, 'active'],
    ]);
    expect(project.reader.ledger(4)).toMatchObject({ parent: 1, reserved: 0 });
    expect(project.reader.ledger(2)).toMatchObject({ parent: 4, reserved: 0 });
    expect(project.reader.threadByNo(2)).toMatchObject({ status: 'continued', successor: 4 });
    expect(project.reader.threadByNo(4)).toMatchObject({ status: 'created', predecessor: 2, parent: 1, root: 1 });
  });

  test('leaves the children of the predecessor where they are: what they spend reaches the successor', () => {
    using project = family();
    project.store.commit([continuation(2, 4)]);
    project.reopen();
    // Both were suspended when the runtime ended, each with an event of its own.
    const spends = step(3, 2, { settle: { reserved: 0, actual: 20 } });
    expect(project.store.commit([spends, step(4, 0, { reserve: 221 })])).toEqual([
      true,
      { type: 'refused', remaining: 220 },
    ]);
    expect(amounts(project, 1, 4)).toEqual([
      [100, 600, 1_000, 'active'],
      [100, 380, 600, 'active'],
    ]);
    project.store.commit([step(3, 3, { status: END }), step(4, 2, { status: END })]);
    expect(amounts(project, 1, 4)).toEqual([
      [100, 100, 1_000, 'active'],
      [100, 100, 600, 'released'],
    ]);
  });

  test('of a root makes its successor the top of the ledger', () => {
    using project = family();
    const op = continuation(1, 5, 5);
    expect(project.store.commit([{ ...op, end: step(1, 1, { status: CONTINUED }) }])).toEqual([true]);
    project.store.commit([step(3, 1, { settle: { reserved: 0, actual: 10 } })]);
    expect(amounts(project, 5)).toEqual([[60, 600, 1_000, 'active']]);
    expect(project.reader.ledger(5)?.parent).toBeUndefined();
  });

  test('takes the reservations of hooks and their keys along', () => {
    using project = family();
    const reserve = {
      type: 'budget',
      operation: 'reserve',
      amount: 70,
      reservation: undefined,
      at: 1,
      key: 'k',
    } as const;
    project.store.commit([{ ...reserve, asker: 2, threadId: idOf(2) }, continuation(2, 4)]);
    expect(project.reader.ledger(4)).toMatchObject({ extra: 70, committed: 450 });
    expect(project.store.commit([{ ...reserve, asker: 4, threadId: idOf(4) }])).toMatchObject([{ amount: 70 }]);
    expect(project.reader.ledger(4)).toMatchObject({ extra: 70 });
    expect(project.reader.ledger(2)).toMatchObject({ extra: 0 });
  });

  test('that comes again changes nothing', () => {
    using project = family();
    expect(project.store.commit([continuation(2, 4), continuation(2, 4)])).toEqual([true, true]);
    expect(project.store.commit([continuation(2, 4)])).toEqual([true]);
    expect(amounts(project, 4)).toEqual([[80, 380, 600, 'active']]);
  });

  test.each([
    ['of a thread that has ended otherwise', continuation(3, 4)],
    ['as a thread that is there', continuation(2, 3)],
    ['as itself', continuation(2, 2)],
    ['with another ending', { ...continuation(2, 4), end: step(2, 2, { status: END }) }],
    ['that reserves', { ...continuation(2, 4), end: step(2, 2, { status: CONTINUED, reserve: 1 }) }],
    ['with a gap in the events', { ...continuation(2, 4), end: step(2, 3, { status: CONTINUED }) }],
  ])('%s fails and changes nothing', (_, op) => {
    using project = family();
    project.store.commit([step(3, 1, { status: END })]);
    const before = project.query('SELECT * FROM threads JOIN budget_ledger USING (thread)');
    expect(project.store.commit([op])).toMatchObject([{ type: 'failed' }]);
    expect(project.query('SELECT * FROM threads JOIN budget_ledger USING (thread)')).toEqual(before);
  });
});

describe('the successor of an ended thread', () => {
  test('is linked, and reserves for itself', () => {
    using project = family();
    project.store.commit([step(2, 2, { settle: { reserved: 40, actual: 0 }, status: END })]);
    expect(project.store.commit([admit(4, { parent: 1, ceiling: 100, predecessor: 2 })])).toEqual([true]);
    expect(project.reader.threadByNo(4)).toMatchObject({ predecessor: 2 });
    expect(project.reader.threadByNo(2)).toMatchObject({ successor: 4 });
    expect(amounts(project, 4)).toEqual([[0, 0, 100, 'active']]);
  });

  test.each([
    ['one that has not ended', 2, 'invalid_argument'],
    ['one that is not there', 9, 'thread_not_found'],
  ])('cannot be that of %s', (_, predecessor, code) => {
    using project = family();
    const results = project.store.commit([admit(4, { parent: 1, ceiling: 1, predecessor })]);
    expect(results).toMatchObject([{ type: 'failed', failure: { code } }]);
    expect(project.reader.threadByNo(4)).toBeUndefined();
  });
});

test('a chain is told in order, from wherever it is asked', () => {
  using project = family();
  const next = (of: number, thread: number): ContinueOp => ({
    ...continuation(of, thread),
    end: step(of, 1, { status: CONTINUED }),
  });
  project.store.commit([continuation(2, 4), next(4, 5), next(5, 6)]);
  for (const thread of [2, 4, 5, 6]) {
    expect(project.reader.chain(thread).map((row) => row.thread)).toEqual([2, 4, 5, 6]);
  }
  expect(project.reader.chain(1).map((row) => row.thread)).toEqual([1]);
  expect(project.reader.chain(99)).toEqual([]);
});
