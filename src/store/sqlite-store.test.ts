import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { admit, lines, scratchFolder, shippedTables, step } from '../../test/conformance/store-fixture.ts';
import type { StoreOp } from '../core/store.ts';
import { LONG_LOG_PAGES, openReadOnly, openWriter, PAGE_SIZE, type Connection } from './connection.ts';
import { createDatabase } from './create-database.ts';
import { SqliteStore } from './sqlite-store.ts';

const END = { to: 'completed', ending: '{}' } as const;

function createStore(): Disposable & { readonly db: Connection; readonly store: SqliteStore } {
  const scratch = scratchFolder();
  mkdirSync(dirname(scratch.path));
  createDatabase(scratch.path, shippedTables());
  const db = openWriter(scratch.path);
  const store = new SqliteStore(db);
  return {
    db,
    store,
    [Symbol.dispose]: () => {
      store.close();
      scratch[Symbol.dispose]();
    },
  };
}

function count(db: Connection, table: string): number {
  return Number(db.prepare(`SELECT COUNT(*) FROM ${table}`).pluck().get());
}

/** An operation as no typed sender makes it. */
function malformed(fields: Record<string, unknown>): StoreOp {
  return { ...step(1, 3), ...fields };
}

describe('an operation that SQLite refuses', () => {
  test.each([
    ['lines that are no text', malformed({ lines: { a: 1 } })],
    ['a state that is no text', malformed({ checkpoint: { turn: 1, state: undefined } })],
    ['a turn that is no number', malformed({ checkpoint: { turn: 'one', state: '' } })],
    ['a cost that is no number', malformed({ cost: { turns: 'x', inputTokens: 0, outputTokens: 0, spend: 0 } })],
    ['an ending that is no text', malformed({ status: { to: 'completed', ending: Symbol('no') } })],
  ])('%s: fails alone and leaves no half of itself', (_, bad) => {
    using project = createStore();
    project.store.commit([admit(1), step(1, 1)]);
    const batch = [step(1, 2, { reserve: 5 }), { ...bad, reserve: 7 }, admit(2), step(1, 3, { reserve: 11 })];
    const results = project.store.commit(batch);
    expect(results.map((result) => (result === true ? true : result.type))).toEqual([true, 'failed', true, true]);
    expect(count(project.db, 'events')).toBe(3);
    expect(count(project.db, 'checkpoints')).toBe(0);
    const ledger = project.db.prepare('SELECT committed FROM budget_ledger ORDER BY thread').pluck().all();
    expect(ledger).toEqual([16, 0]);
    expect(project.db.prepare('SELECT status FROM threads').pluck().all()).toEqual(['created', 'created']);
  });
});

describe('why a thread is suspended', () => {
  const SUSPENDED = { to: 'suspended', reason: 'shutdown' } as const;
  const RUNNING = { to: 'running' } as const;
  const ALL = [RUNNING, SUSPENDED, RUNNING, END] as const;

  test.each<[string, readonly (readonly (typeof ALL)[number][])[]]>([
    ['a transaction each', ALL.map((to) => [to])],
    [
      'two in one',
      [
        [RUNNING, SUSPENDED],
        [RUNNING, END],
      ],
    ],
    ['all in one', [ALL]],
    ['ended as it is suspended', [[RUNNING], [SUSPENDED], [END]]],
  ])('stands in its row for as long as it is: %s', (_, transactions) => {
    using project = createStore();
    project.store.commit([admit(1)]);
    let sequence = 0;
    for (const changes of transactions) {
      project.store.commit(changes.map((status) => step(1, ++sequence, { status })));
      const [row] = project.db.prepare('SELECT status, suspend_reason AS reason FROM threads').all();
      const reason = changes.at(-1) === SUSPENDED ? 'shutdown' : null;
      expect(row).toEqual({ status: changes.at(-1)?.to, reason });
      const interrupted = "SELECT thread FROM threads WHERE suspend_reason = 'shutdown'";
      expect(project.db.prepare(interrupted).all()).toHaveLength(reason === null ? 0 : 1);
    }
    expect(project.db.pragma('integrity_check', { simple: true })).toBe('ok');
  });
});

describe('a transaction that fails', () => {
  test('leaves nothing behind, in the file or in memory, and the next one goes through', () => {
    using project = createStore();
    project.store.commit([admit(1), step(1, 1, { reserve: 100 })]);
    const pages = Number(project.db.pragma('page_count', { simple: true }));
    project.db.pragma(`max_page_count = ${pages + 2}`);
    const large = { lines: lines(2, 2, 'x'.repeat(200_000)), settle: { reserved: 100, actual: 100 }, status: END };
    expect(() => project.store.commit([admit(2), step(1, 2, large)])).toThrow(
      expect.objectContaining({ code: 'store_failed', detail: { sqlite: 'SQLITE_FULL' } }),
    );
    expect(count(project.db, 'threads')).toBe(1);
    project.db.pragma('max_page_count = 100000');
    expect(project.store.commit([step(1, 2, { reserve: 901 }), step(1, 3, { reserve: 900 })])).toEqual([
      { type: 'refused', remaining: 900 },
      true,
    ]);
  });

  test('with an unknown fate stops the store', () => {
    using project = createStore();
    project.store.commit([admit(1)]);
    // A foreign transaction on the same connection: BEGIN fails in a way the store did not cause.
    project.db.exec('BEGIN');
    expect(() => project.store.commit([step(1, 1)])).toThrow(expect.objectContaining({ code: 'store_failed' }));
    expect(() => project.store.commit([])).toThrow(expect.objectContaining({ code: 'store_failed' }));
    expect(() => project.store.idle()).toThrow(expect.objectContaining({ code: 'store_failed' }));
  });
});

describe('a log without a quiet moment', () => {
  const MOST = LONG_LOG_PAGES * PAGE_SIZE;

  /** Commits so many megabytes of events, from a sequence number on. */
  function write({ store }: Pick<ReturnType<typeof createStore>, 'store'>, megabytes: number, from: number): void {
    for (let sequence = from; sequence < from + megabytes; sequence++) {
      expect(store.commit([step(1, sequence, { lines: lines(sequence, sequence, 'x'.repeat(1_000_000)) })])).toEqual([
        true,
      ]);
      store.keepLogShort();
    }
  }

  test('is copied when it is long, and not before', () => {
    using project = createStore();
    const size = (): number => statSync(`${project.db.name}-wal`).size;
    project.store.commit([admit(1)]);
    write(project, 40, 1);
    expect(statSync(project.db.name).size).toBeLessThan(2_000_000);
    write(project, 120, 41);
    expect(statSync(project.db.name).size).toBeGreaterThan(100_000_000);
    expect(size()).toBeLessThan(MOST + 4_000_000);
  });

  test('shrinks after a peak that somebody who read has made', () => {
    using project = createStore();
    const size = (): number => statSync(`${project.db.name}-wal`).size;
    project.store.commit([admit(1)]);
    const reader = openReadOnly(project.db.name);
    reader.exec('BEGIN; SELECT * FROM threads');
    write(project, 100, 1);
    expect(size()).toBeGreaterThan(MOST + 20_000_000);
    reader.close();
    write(project, 2, 101);
    expect(size()).toBeLessThanOrEqual(MOST + 100_000);
  });
});

describe('memory', () => {
  test('holds running threads only', () => {
    using project = createStore();
    project.store.commit([
      admit(1),
      admit(2, { parent: 1, ceiling: 10 }),
      admit(3, { parent: 1, ceiling: 10 }),
      admit(4, { parent: 3, ceiling: 10 }),
    ]);
    expect(project.store.cached).toEqual({ threads: 4, ledger: 4 });
    project.store.commit([step(2, 1, { status: END })]);
    expect(project.store.cached).toEqual({ threads: 3, ledger: 3 });
    project.store.commit([step(3, 1, { status: { to: 'suspended', reason: 'user' } })]);
    expect(project.store.cached).toEqual({ threads: 2, ledger: 3 });
    project.store.commit([step(4, 1, { status: END }), step(1, 1, { status: END })]);
    expect(project.store.cached).toEqual({ threads: 0, ledger: 0 });
  });

  test('holds the first 4,000 of those that have not started, and reads the others when they do', () => {
    using project = createStore();
    const last = 4_100;
    project.store.commit([admit(1), ...range(2, last).map((thread) => admit(thread, { parent: 1, ceiling: 0 }))]);
    expect(project.store.cached).toEqual({ threads: 4_000, ledger: 4_000 });
    project.store.commit([step(last, 1, { status: { to: 'running' } }), step(1, 1, { status: { to: 'running' } })]);
    expect(project.store.cached).toEqual({ threads: 4_001, ledger: 4_000 });
    project.store.commit([step(last, 2, { status: END })]);
    project.store.commit([admit(last + 1), admit(last + 2)]);
    expect(project.store.cached).toEqual({ threads: 4_001, ledger: 4_001 });
  });

  test('does not grow with steps of suspended threads, loads, and operations that fail', () => {
    using project = createStore();
    const suspended = { to: 'suspended', reason: 'user' } as const;
    project.store.commit([admit(1), step(1, 1, { status: suspended }), admit(2), step(2, 1, { status: END })]);
    project.store.commit([
      step(1, 2, { settle: { reserved: 0, actual: 5 }, reserve: 5 }),
      { type: 'load', thread: 1 },
      { type: 'load', thread: 2 },
      step(2, 2),
      step(9, 1),
      admit(3, { parent: 1, ceiling: 5_000 }),
      admit(4, { parent: 2 }),
    ]);
    expect(project.store.cached).toEqual({ threads: 0, ledger: 0 });
  });
});

test('a row is written once per commit however often it changed', () => {
  using project = createStore();
  project.store.commit([admit(1), admit(2, { parent: 1, ceiling: 900 })]);
  const before = Number(project.db.prepare('SELECT total_changes()').pluck().get());
  const steps = Array.from({ length: 100 }, (_, index) =>
    step(2, index + 1, {
      settle: { reserved: 0, actual: 1 },
      checkpoint: { turn: index, state: '' },
      cost: cost(index),
    }),
  );
  project.store.commit(steps);
  // 100 event rows, two ledger rows, one checkpoint, one registry row.
  expect(Number(project.db.prepare('SELECT total_changes()').pluck().get()) - before).toBe(104);
});

function cost(turns: number): { turns: number; inputTokens: number; outputTokens: number; spend: number } {
  return { turns, inputTokens: 0, outputTokens: 0, spend: turns };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
