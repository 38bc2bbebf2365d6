import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { admit, END, scratchStore, step, type ScratchStore } from '../../test/conformance/store-fixture.ts';
import { openWindow, WINDOW_SQL, type StoreWindow } from './window.ts';

/** A tree of three below thread 1, and another root. */
function looked(): { readonly project: ScratchStore; readonly window: StoreWindow } & Disposable {
  const project = scratchStore();
  project.store.commit([
    admit(1),
    ...[2, 3, 4].map((thread) => admit(thread, { parent: 1, ceiling: 1 })),
    admit(5),
    step(2, 1, { status: { to: 'running' }, cost: { turns: 2, inputTokens: 1, outputTokens: 1, spend: 7 } }),
    step(3, 1, { status: END }),
  ]);
  const window = openWindow(project.path);
  return {
    project,
    window,
    [Symbol.dispose]() {
      window.close();
      project[Symbol.dispose]();
    },
  };
}

test('Roots come newest first, a page at a time', () => {
  using scene = looked();
  const page = (before: number, limit: number) => scene.window.roots(before, limit).map(({ thread }) => thread);
  expect([page(100, 5), page(100, 1), page(5, 5)]).toEqual([[5, 1], [5], [1]]);
});

test('Children are counted up to a number', () => {
  using scene = looked();
  expect([scene.window.childCount(1, 10), scene.window.childCount(1, 2), scene.window.childCount(5, 10)]).toEqual([
    3, 2, 0,
  ]);
});

test('A thread that is said to be its own child is not counted as one', () => {
  using scene = looked();
  const db = new Database(scene.project.path);
  db.exec('UPDATE threads SET parent_thread = 5 WHERE thread IN (4, 5)');
  db.close();
  expect([scene.window.childCount(5, 10), scene.window.count({ parent: 5 }, 0, 10)]).toEqual([0, []]);
});

test.each([
  ['all', 0, 100, { created: 3, running: 1, completed: 1 }],
  ['all', 2, 100, { created: 2, completed: 1 }],
  ['roots', 0, 100, { created: 2 }],
  [{ parent: 1 }, 0, 100, { created: 1, running: 1, completed: 1 }],
  [{ parent: 1 }, 0, 1, { running: 1 }],
] as const)('A count of %j above %i, %i at most, is %j', (of, after, limit, expected) => {
  using scene = looked();
  const groups = scene.window.count(of, after, limit);
  expect(Object.fromEntries(groups.map(({ status, threads }) => [status, threads]))).toEqual(expected);
});

test('A level has spent what its rows have, with all below them, and once what was handed over', () => {
  using project = scratchStore();
  const spent = (actual: number) => ({
    settle: { reserved: 0, actual },
    cost: { turns: 1, inputTokens: 1, outputTokens: 1, spend: actual },
  });
  const { type: _, parent: __, ceiling: ___, ...successor } = admit(4, { root: 1 });
  project.store.commit([
    admit(1),
    admit(2, { parent: 1, ceiling: 600 }),
    admit(3, { parent: 2, ceiling: 300 }),
    step(1, 1, spent(5)),
    // A hook has reported 9 of it.
    step(3, 1, { ...spent(20), settle: { reserved: 0, actual: 29 } }),
    {
      type: 'continue',
      end: step(2, 1, { ...spent(50), status: { to: 'continued', ending: '{"status":"continued"}' } }),
      successor: { ...successor, cost: { turns: 1, inputTokens: 1, outputTokens: 1, spend: 50 } },
    },
    step(4, 1, { settle: { reserved: 0, actual: 7 }, cost: { turns: 2, inputTokens: 1, outputTokens: 1, spend: 57 } }),
  ]);
  const window = openWindow(project.path);
  const spend = (of: Parameters<StoreWindow['count']>[0]): number =>
    window.count(of, 0, 100).reduce((sum, group) => sum + group.spend, 0);
  expect([spend('roots'), spend({ parent: 1 }), spend({ parent: 2 }), spend('all')]).toEqual([91, 86, 29, 91]);
  window.close();
});

describe('What changes', () => {
  test('is told once, by thread, whether it is new or has taken a step', () => {
    using scene = looked();
    const { window, project } = scene;
    const begun = window.place();
    expect(window.changes(begun, 100)).toEqual({ threads: [], place: begun, isCut: false });
    const version = window.version();
    project.store.commit([admit(6), step(2, 2), step(2, 3)]);
    expect(window.version()).not.toBe(version);
    const changes = window.changes(begun, 100);
    expect(changes).toMatchObject({ threads: [6, 2], isCut: false });
    expect(window.changes(changes.place, 100).threads).toEqual([]);
  });

  test('is cut at a number, and goes on at the end', () => {
    using scene = looked();
    const begun = scene.window.place();
    scene.project.store.commit([step(2, 2), step(4, 1)]);
    const changes = scene.window.changes(begun, 1);
    expect(changes.isCut).toBe(true);
    expect(scene.window.changes(changes.place, 100)).toMatchObject({ threads: [], isCut: false });
  });

  test('is told to be unknown where the log has become shorter', () => {
    using scene = looked();
    const { window } = scene;
    const begun = { ...window.place(), log: 1_000 };
    expect(window.changes(begun, 100)).toEqual({ threads: [], place: window.place(), isCut: true });
  });

  test.each([
    ['before what stays', [2, 1]],
    ['at the end, and as many came since', [1, 2]],
  ])('is told to be unknown, once, where threads were archived: %s', (_, [old = 0, young = 0]) => {
    let day = 0;
    const cleanup = { archiveAfterDays: 30, vacuumIntervalDays: 0 };
    using project = scratchStore({ now: () => day * 86_400_000, cleanup });
    project.store.commit([admit(1), admit(2), step(young, 1), step(old, 1, { status: END, at: 0 })]);
    const window = openWindow(project.path);
    const begun = window.place();
    day = 31;
    while (project.store.tidy?.());
    project.store.commit([admit(3), step(3, 1), step(young, 2)]);
    const changes = window.changes(begun, 100);
    expect(changes).toEqual({ threads: [], place: window.place(), isCut: true });
    expect(window.changes(changes.place, 100)).toEqual({ threads: [], place: changes.place, isCut: false });
    window.close();
  });
});

test.each(Object.entries(WINDOW_SQL))('The query %s looks at no rows but those it gives or counts', (_, sql) => {
  using scene = looked();
  const db = new Database(scene.project.path, { readonly: true });
  const values = Array.from(sql.matchAll(/\?/g), () => 1);
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
  db.close();
  const steps = plan.map((row) => String(Object(row).detail));
  // A slice has been cut before it is grouped.
  expect(steps.filter((detail) => /^SCAN (?!\(subquery-\d+\)$)/.test(detail))).toEqual([]);
  expect(steps.filter((detail) => detail.includes('FOR ORDER BY'))).toEqual([]);
  // Roots that were searched for along the table would have every child between them looked at.
  const isOfRoots = sql.includes('parent_thread IS NULL');
  expect(steps.some((detail) => detail.includes('(parent_thread=?')) || !isOfRoots).toBe(true);
});
