import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import {
  admit,
  END,
  idOf,
  lines,
  scratchFolder,
  scratchStore,
  shippedTables,
  step,
  type ScratchStore,
} from '../../test/conformance/store-fixture.ts';
import { encodeEvent } from '../core/events.ts';
import type { StepOp, StoreOp } from '../core/store.ts';
import { archivePath } from './archive-shelf.ts';
import { openArchive } from './archive.ts';
import { openStore } from './open.ts';
import { openReader } from './reader.ts';

const DAY = 86_400_000;
const CLEANUP = { archiveAfterDays: 30, vacuumIntervalDays: 7 };

/** A clock that a test sets. */
function createDays(): { readonly now: () => number; day: number } {
  return {
    day: 0,
    now() {
      return this.day * DAY;
    },
  };
}

type Days = ReturnType<typeof createDays>;

function project(cleanup = CLEANUP): ScratchStore & { readonly days: Days } {
  const days = createDays();
  return Object.assign(scratchStore({ now: () => days.now(), cleanup }), { days });
}

/** A finished tree on day 0: root, child and grandchild, each with some events, and an approval. */
function addTree({ store }: ScratchStore, root: number, events = 3): void {
  const admissions = [
    admit(root, { at: 0 }),
    admit(root + 1, { parent: root, root, ceiling: 500, at: 0 }),
    admit(root + 2, { parent: root + 1, root, ceiling: 200, at: 0 }),
  ];
  const steps = [root + 2, root + 1, root].flatMap((thread) => [
    ...Array.from({ length: events }, (_, index) => {
      const settle = { reserved: 0, actual: thread };
      return step(thread, index + 1, { settle, checkpoint: { turn: 1, state: '{}' }, at: 0 });
    }),
    step(thread, events + 1, { status: END, at: 0 }),
  ]);
  const results = store.commit([...admissions, ...steps]);
  expect(results.filter((result) => result !== true)).toEqual([]);
}

/** Three threads on day 0 that took over from each other, and have all ended. */
function addChain({ store }: ScratchStore, first: number, events: number): void {
  const logOf = (thread: number): StepOp[] =>
    Array.from({ length: events }, (_, index) => step(thread, index + 1, { at: 0 }));
  const handOver = (thread: number): StoreOp => {
    const { type: _, parent: __, ceiling: ___, ...successor } = admit(thread + 1, { root: first, at: 0 });
    const end = step(thread, events + 1, { status: { to: 'continued', ending: '{}' }, at: 0 });
    return { type: 'continue', end, successor };
  };
  const results = store.commit([
    admit(first, { at: 0 }),
    ...[first, first + 1].flatMap((thread) => [...logOf(thread), handOver(thread)]),
    ...logOf(first + 2),
    step(first + 2, events + 1, { status: END, at: 0 }),
  ]);
  expect(results.filter((result) => result !== true)).toEqual([]);
}

/** Everything a reader tells of a thread. */
function told({ reader }: Pick<ScratchStore, 'reader'>, thread: number): unknown {
  return {
    row: reader.thread(idOf(thread)),
    byNo: reader.threadByNo(thread),
    ledger: reader.ledger(thread),
    spec: reader.spec(thread),
    events: reader.events(thread),
    children: reader.children(thread),
    chain: reader.chain(thread),
  };
}

function tidyAll(store: ScratchStore['store'], each: () => void = () => undefined): number {
  let slices = 0;
  while (store.tidy?.()) {
    slices++;
    each();
  }
  return slices;
}

const liveThreads = (one: ScratchStore): unknown[] =>
  one.query('SELECT thread FROM threads ORDER BY thread').map((row) => Object(row).thread);

function archivedThreads(path: string): unknown[] {
  if (!existsSync(archivePath(path))) return [];
  const db = new Database(archivePath(path), { readonly: true });
  try {
    return db.prepare('SELECT thread FROM threads ORDER BY thread').pluck().all();
  } finally {
    db.close();
  }
}

describe('archiving', () => {
  test('moves a tree whose every thread ended long ago, and readers still find it', () => {
    using one = project();
    addTree(one, 1);
    const before = [1, 2, 3].map((thread) => told(one, thread));
    one.days.day = 31;
    one.store.commit([admit(4, { at: one.days.now() })]);
    tidyAll(one.store);
    expect(liveThreads(one)).toEqual([4]);
    expect(archivedThreads(one.path)).toEqual([1, 2, 3]);
    expect([1, 2, 3].map((thread) => told(one, thread))).toEqual(before);
    const fresh = openReader(one.path);
    expect([1, 2, 3].map((thread) => told({ reader: fresh }, thread))).toEqual(before);
    fresh.close();
    for (const table of ['events', 'budget_ledger', 'checkpoints', 'budget_entries']) {
      expect(one.query(`SELECT * FROM ${table} WHERE thread < 4`)).toEqual([]);
    }
  });

  test('is invisible at any slice, to readers and to who loads a thread', () => {
    using one = project();
    addTree(one, 1, 250);
    const before = [1, 2, 3].map((thread) => told(one, thread));
    const [loaded] = one.store.commit([{ type: 'load', thread: 3, withChildren: true }]);
    one.days.day = 31;
    const slices = tidyAll(one.store, () => {
      expect([1, 2, 3].map((thread) => told(one, thread))).toEqual(before);
      const [again] = one.store.commit([{ type: 'load', thread: 3, withChildren: true }]);
      expect(again).toMatchObject({ thread: { lines: Object(loaded).thread.lines, lastSequence: 251 } });
    });
    expect(slices).toBeGreaterThan(12);
    expect(liveThreads(one)).toEqual([]);
  });

  test.each([
    [
      'one thread is open',
      (one: ScratchStore) =>
        one.store.commit([
          admit(4, { at: 0 }),
          admit(5, { parent: 4, root: 4, ceiling: 1, at: 0 }),
          step(4, 1, { status: END, at: 0 }),
        ]),
    ],
    [
      'one thread is suspended',
      (one: ScratchStore) =>
        one.store.commit([admit(4, { at: 0 }), step(4, 1, { status: { to: 'suspended', reason: 'user' }, at: 0 })]),
    ],
    [
      'one thread ended lately',
      (one: ScratchStore) => one.store.commit([admit(4, { at: 0 }), step(4, 1, { status: END, at: 25 * DAY })]),
    ],
  ])('leaves a tree alone of which %s', (_, add) => {
    using one = project();
    add(one);
    const before = liveThreads(one);
    one.days.day = 31;
    tidyAll(one.store);
    expect(liveThreads(one)).toEqual(before);
    expect(existsSync(archivePath(one.path))).toBe(false);
  });

  test('has of a thread what it tells of children for who asks for that alone', () => {
    using one = project();
    const ended = encodeEvent({ sequence: 2, event_type: 'child_thread_ended', time: 0, payload: {} });
    one.store.commit([
      admit(1, { at: 0 }),
      step(1, 1, { lines: lines(1, 1) + ended + lines(3, 3), lastSequence: 3, at: 0 }),
      step(1, 4, { status: END, at: 0 }),
    ]);
    one.days.day = 31;
    tidyAll(one.store);
    expect(archivedThreads(one.path)).toEqual([1]);
    const [loaded] = one.store.commit([{ type: 'load', thread: 1, withChildren: 'only' }]);
    expect(loaded).toMatchObject({ thread: { lines: ended, lastSequence: 4 } });
  });

  test('takes a chain of continued threads along as one', () => {
    using one = project();
    const { type: _, parent: __, ceiling: ___, ...successor } = admit(2, { at: 0 });
    const continued = step(1, 1, { status: { to: 'continued', ending: '{}' }, at: 0 });
    one.store.commit([admit(1, { at: 0 }), { type: 'continue', end: continued, successor }]);
    one.days.day = 31;
    tidyAll(one.store);
    expect(liveThreads(one)).toEqual([1, 2]);
    one.store.commit([step(2, 1, { status: END, at: 0 })]);
    one.days.day = 33;
    tidyAll(one.store);
    expect(archivedThreads(one.path)).toEqual([1, 2]);
    expect(one.reader.chain(2).map(({ thread }) => thread)).toEqual([1, 2]);
  });

  test.each([
    ['a tree', addTree],
    ['a chain of continued threads', addChain],
  ])('of %s, cut short anywhere, leaves every thread to be found, and goes on after a restart', (_, add) => {
    using probe = project();
    add(probe, 1, 60);
    probe.days.day = 31;
    const slices = tidyAll(probe.store);
    for (let cut = 1; cut < slices; cut++) {
      using one = project();
      add(one, 1, 60);
      const before = [1, 2, 3].map((thread) => told(one, thread));
      one.days.day = 31;
      for (let slice = 0; slice < cut; slice++) one.store.tidy?.();
      one.reopen();
      expect([1, 2, 3].map((thread) => told(one, thread))).toEqual(before);
      tidyAll(one.store);
      expect(liveThreads(one)).toEqual([]);
      expect([1, 2, 3].map((thread) => told(one, thread))).toEqual(before);
    }
  });

  test('never lets a thread number be given twice', () => {
    using one = project();
    addTree(one, 1);
    one.days.day = 31;
    tidyAll(one.store);
    one.reopen();
    expect(one.store.opened.nextThread).toBe(4);
  });

  test('keeps the threads of before beside those of today', () => {
    using one = project();
    addTree(one, 1);
    one.days.day = 31;
    tidyAll(one.store);
    one.store.commit([admit(4, { at: 31 * DAY }), step(4, 1, { status: END, at: 31 * DAY })]);
    one.days.day = 62;
    tidyAll(one.store);
    expect(archivedThreads(one.path)).toEqual([1, 2, 3, 4]);
  });

  test('lets an archived thread be the predecessor of a new one', () => {
    using one = project();
    addTree(one, 1);
    one.days.day = 31;
    tidyAll(one.store);
    expect(one.store.commit([admit(4, { predecessor: 1, at: 0 })])).toEqual([true]);
    expect(one.reader.chain(1).map(({ thread }) => thread)).toEqual([1, 4]);
    expect(one.reader.chain(4).map(({ thread }) => thread)).toEqual([1, 4]);
  });

  test('looks again after a day, not before', () => {
    using one = project();
    tidyAll(one.store);
    addTree(one, 1);
    one.days.day = 31;
    expect(tidyAll(one.store)).toBeGreaterThan(0);
    addTree(one, 4);
    expect(tidyAll(one.store)).toBe(0);
    one.reopen();
    expect(tidyAll(one.store)).toBe(0);
    one.days.day = 32;
    tidyAll(one.store);
    expect(archivedThreads(one.path)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('is not kept back by threads of a clock that was ahead, now or when that time has come', () => {
    using one = project();
    one.days.day = 400;
    tidyAll(one.store);
    const at = one.days.now();
    // More than a slice looks at.
    const ahead = Array.from({ length: 101 }, (_, index) => index + 1);
    one.store.commit(ahead.flatMap((thread) => [admit(thread, { at }), step(thread, 1, { status: END, at })]));
    one.days.day = 31;
    addTree(one, 102);
    tidyAll(one.store);
    expect(archivedThreads(one.path)).toEqual([102, 103, 104]);
    expect(liveThreads(one)).toEqual(ahead);
    const done = one.query("SELECT work, done_at / ? AS day FROM upkeep WHERE work <> 'moves' ORDER BY work", DAY);
    expect(done).toEqual([
      { work: 'archive', day: 31 },
      { work: 'vacuum', day: 31 },
    ]);
    expect(tidyAll(one.store)).toBe(0);
    one.days.day = 410;
    addTree(one, 105);
    tidyAll(one.store);
    expect(archivedThreads(one.path)).toEqual([102, 103, 104, 105, 106, 107]);
    expect(liveThreads(one)).toEqual(ahead);
    one.days.day = 431;
    tidyAll(one.store);
    expect(liveThreads(one)).toEqual([]);
  });

  test('never happens with archive_after_days 0', () => {
    using one = project({ archiveAfterDays: 0, vacuumIntervalDays: 7 });
    addTree(one, 1);
    one.days.day = 10_000;
    tidyAll(one.store);
    expect(liveThreads(one)).toEqual([1, 2, 3]);
  });

  test('that fails says so and leaves the tree where it is', () => {
    using one = project();
    addTree(one, 1);
    one.days.day = 31;
    const other = new Database(archivePath(one.path));
    other.exec('CREATE TABLE something (else_ TEXT)');
    other.close();
    const where = { file: archivePath(one.path) };
    expect(() => tidyAll(one.store)).toThrow(expect.objectContaining({ code: 'store_corrupt', where }));
    expect(liveThreads(one)).toEqual([1, 2, 3]);
  });
});

test('an archive that is filled while a reader is at work is found by it', () => {
  using scratch = scratchFolder();
  const store = openStore({ path: scratch.path, tables: shippedTables(), now: () => 0 });
  store.commit([admit(1), step(1, 1, { lines: lines(1, 250), lastSequence: 250, status: END })]);
  const reader = openReader(scratch.path);
  const archive = openArchive(archivePath(scratch.path), scratch.path, shippedTables());
  expect(archive.together(() => archive.copy(1, 100))).toBe(1);
  expect(reader.events(1)).toEqual([lines(1, 250)]);
  archive.close();
  reader.close();
  store.close();
});

describe('vacuum', () => {
  const pages = (one: ScratchStore): number => Number(Object(one.query('PRAGMA page_count')[0]).page_count);

  /** A database in which a lot was and is no more. */
  function emptied(cleanup = CLEANUP): ReturnType<typeof project> {
    const one = project(cleanup);
    const text = lines(1, 1, 'x'.repeat(100_000));
    one.store.commit([
      admit(1, { at: 0 }),
      ...Array.from({ length: 100 }, (_, n) => step(1, n + 1, { lines: text.replace('1', String(n + 1)) })),
    ]);
    one.store.commit([step(1, 101, { status: END, at: 0 })]);
    one.store.idle();
    one.days.day = 31;
    return one;
  }

  test('gives the space of moved trees back, some of it at a time', () => {
    using one = emptied();
    const before = pages(one);
    const sizes: number[] = [];
    tidyAll(one.store, () => sizes.push(pages(one)));
    expect(before).toBeGreaterThan(500);
    expect(sizes.at(-1)).toBeLessThan(60);
    expect(new Set(sizes).size).toBeGreaterThan(2);
  });

  test('comes every so many days', () => {
    using one = emptied({ archiveAfterDays: 40, vacuumIntervalDays: 7 });
    tidyAll(one.store);
    const full = pages(one);
    one.days.day = 37;
    expect(tidyAll(one.store)).toBe(1);
    one.days.day = 41;
    tidyAll(one.store);
    expect(pages(one)).toBeLessThan(60);
    expect(full).toBeGreaterThan(500);
  });

  test('never comes with vacuum_interval_days 0', () => {
    using one = emptied({ archiveAfterDays: 30, vacuumIntervalDays: 0 });
    const before = pages(one);
    tidyAll(one.store);
    expect(liveThreads(one)).toEqual([]);
    expect(pages(one)).toBeGreaterThanOrEqual(before);
  });
});
