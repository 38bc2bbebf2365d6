import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import {
  admit,
  END,
  idOf,
  lines,
  scratchStore,
  step,
  type ScratchStore,
} from '../../test/conformance/store-fixture.ts';
import { encodeEvent, type SuspendReason } from '../core/events.ts';
import type { StepOp, ThreadFilter } from '../core/store.ts';
import type { LogPlace } from '../core/store-log.ts';
import { READER_SQL, threadsQuery } from './queries.ts';
import { openWindow } from './window.ts';

/** Two threads, the first with three events. */
function logged(): ScratchStore {
  const project = scratchStore();
  project.store.commit([admit(1), admit(2), step(1, 1, { lines: lines(1, 3), lastSequence: 3 })]);
  return project;
}

describe('children', () => {
  test('come in pages, oldest first', () => {
    using project = scratchStore();
    project.store.commit([
      admit(1, { ceiling: 10 }),
      ...[2, 3, 4, 5].map((thread) => admit(thread, { parent: 1, ceiling: 1 })),
      admit(6, { parent: 2, ceiling: 0 }),
    ]);
    const page = (options = {}): number[] => project.reader.children(1, options).map(({ thread }) => thread);
    expect(page()).toEqual([2, 3, 4, 5]);
    expect(page({ limit: 2 })).toEqual([2, 3]);
    expect(page({ limit: 2, after: 3 })).toEqual([4, 5]);
    expect(page({ after: 5 })).toEqual([]);
    expect(() => page({ limit: -1 })).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  });
});

test.each<[ThreadFilter, number[]]>([
  [{ status: ['created'] }, [1]],
  [{ status: ['running'] }, [5, 2]],
  [{ status: ['created', 'running'] }, [5, 2, 1]],
  [{ status: ['created', 'running'], before: 5, limit: 1 }, [2]],
  [{ status: ['running', 'suspended'] }, [5, 3, 2]],
  [{ before: 5, after: 2 }, [4, 3]],
  [{ status: ['completed'] }, [4]],
  [{ status: [] }, []],
])('threads are found by what they are now, newest first: %j', (filter, found) => {
  using project = scratchStore();
  project.store.commit([1, 2, 3, 4, 5].map((thread) => admit(thread)));
  const changes = [
    [2, 3, 4, 5].map((thread) => step(thread, 1, { status: { to: 'running' } })),
    [3, 5].map((thread) => step(thread, 2, { status: { to: 'suspended', reason: 'user' } })),
    [step(4, 2, { status: END }), step(5, 3, { status: { to: 'running' } })],
  ];
  for (const steps of changes) project.store.commit(steps);
  expect(project.reader.threads(filter).map(({ thread }) => thread)).toEqual(found);
});

describe('what is open below a thread', () => {
  test('is found at any depth, also below threads that have ended', () => {
    using project = scratchStore();
    project.store.commit([
      admit(1, { ceiling: 10 }),
      ...[2, 3].map((thread) => admit(thread, { parent: 1, ceiling: 1 })),
      admit(4, { parent: 3, ceiling: 0 }),
      admit(5, { parent: 4, ceiling: 0 }),
      ...[2, 3, 4].map((thread) => step(thread, 1, { status: END })),
    ]);
    const open = (thread: number): number | undefined => project.reader.openBelow(thread)?.thread;
    expect([1, 2, 3, 4, 5].map(open)).toEqual([5, undefined, 5, 5, undefined]);
    project.store.commit([step(5, 1, { status: { to: 'suspended', reason: 'user' } })]);
    expect(open(1)).toBe(5);
    project.store.commit([step(5, 2, { status: END })]);
    expect(open(1)).toBeUndefined();
  });
});

describe('links that lead in a circle', () => {
  test.each([
    ['parent', 'UPDATE threads SET parent_thread = 2 WHERE thread = 2'],
    ['predecessor', 'UPDATE threads SET predecessor = 3 WHERE thread = 2'],
    ['successor', 'UPDATE threads SET successor = 1 WHERE thread = 2'],
  ])('are followed from no thread: a %s', (name, sql) => {
    using project = scratchStore();
    project.store.commit([admit(1), admit(2), admit(3)]);
    change(project, sql);
    const { reader } = project;
    const refused = expect.objectContaining({ code: 'store_corrupt', message: expect.stringContaining(`its ${name}`) });
    expect(() => reader.thread(idOf(2))).toThrow(refused);
    expect(() => reader.threadByNo(2)).toThrow(refused);
    expect(() => reader.chain(2)).toThrow(refused);
    expect(reader.threads({}).map(({ thread }) => thread)).toEqual([3, 2, 1]);
  });

  test('are none of a parent with its children', () => {
    using project = scratchStore();
    project.store.commit([admit(1), admit(2, { parent: 1, ceiling: 1 }), step(2, 1, { status: END })]);
    change(project, 'UPDATE threads SET parent_thread = 2 WHERE thread = 1');
    const window = openWindow(project.path);
    const { reader } = project;
    expect([reader.children(2), reader.threads({ parent: 2 })]).toEqual([[], []]);
    expect([reader.openBelow(1), reader.openBelow(2)]).toEqual([undefined, undefined]);
    expect([window.parentOf(1), window.parentOf(2)]).toEqual([undefined, 1]);
    window.close();
  });

  /** Behind the store's back. */
  function change({ path }: ScratchStore, sql: string): void {
    const db = new Database(path);
    db.exec(sql);
    db.close();
  }
});

test('new limits are found that a checkpoint does not know yet, and no other events', () => {
  using project = logged();
  const resumed = (sequence: number, turns?: number): StepOp => {
    const payload = turns === undefined ? { message: '"limits":' } : { limits: { turns } };
    return step(1, sequence, {
      lines: encodeEvent({ sequence, event_type: 'thread_resumed', time: sequence, payload }),
      checkpoint: turns === 5 ? { turn: 1, state: '{}' } : undefined,
    });
  };
  project.store.commit([resumed(4, 4)]);
  expect(project.reader.raises(1)).toEqual([resumed(4, 4).lines]);
  project.store.commit([resumed(5, 5)]);
  expect(project.reader.raises(1)).toEqual([]);
  project.store.commit([resumed(6), resumed(7, 7), resumed(8, 8)]);
  expect(project.reader.raises(1)).toEqual([resumed(7, 7).lines, resumed(8, 8).lines]);
  expect(project.reader.raises(2)).toEqual([]);
});

test.each<[root: number, after: number, boolean]>([
  [1, 1, true],
  [1, 2, false],
  [3, 2, true],
  [3, 3, false],
])('whether a thread of tree %i after %i was interrupted: %s', (root, after, expected) => {
  using project = scratchStore();
  project.store.commit([
    admit(1),
    admit(2, { parent: 1, ceiling: 100 }),
    admit(3),
    admit(4, { parent: 3, root: 3, ceiling: 100 }),
  ]);
  const suspended = (reason: SuspendReason) => ({ status: { to: 'suspended', reason } }) as const;
  project.store.commit([2, 3].map((thread) => step(thread, 1, suspended('shutdown'))));
  project.store.commit([step(4, 1, suspended('user'))]);
  expect(project.reader.isInterrupted(root, after)).toBe(expected);
});

describe('a page of a log', () => {
  /** A thread with a log of so many chunks, each with one event of about so many characters. */
  function long(length: number, characters: number): ScratchStore {
    const project = scratchStore();
    project.store.commit([admit(1)]);
    for (let sequence = 1; sequence <= length; sequence++) {
      const payload = { message: 'x'.repeat(characters) };
      const event = encodeEvent({ sequence, event_type: 'warning', time: sequence, payload });
      project.store.commit([step(1, sequence, { lines: event, lastSequence: sequence })]);
    }
    return project;
  }

  test.each([
    { each: 'a short chunk', characters: 10, chunks: 16 },
    { each: 'a chunk of 100,000 characters', characters: 100_000, chunks: 3 },
    { each: 'a chunk of a megabyte', characters: 1_000_000, chunks: 1 },
  ])('of $each has so many that it is neither long nor empty', ({ characters, chunks }) => {
    using project = long(20, characters);
    const first = (place: LogPlace): number[] => project.reader.logPage(1, place).map((chunk) => chunk.first);
    expect(first({ after: 0 })).toEqual(Array.from({ length: chunks }, (_, at) => at + 1));
    expect(first({ before: 21 })).toEqual(Array.from({ length: chunks }, (_, at) => 20 - at));
    expect(first({ from: 20 })).toEqual([20]);
    expect(first({ after: 20 })).toEqual([]);
    expect(first({ before: 1 })).toEqual([]);
  });
});

describe('every query is answered through an index', () => {
  const filters: readonly ThreadFilter[] = [
    { status: ['running'] },
    { status: ['created', 'running'], before: 9 },
    { status: ['running'], directive: 'demo/task' },
    { status: ['suspended'], directive: 'demo/task', before: 9, after: 3 },
    { parent: 1 },
    { parent: 1, status: ['error'] },
  ];

  test.each([
    ...Object.entries(READER_SQL),
    ...filters.map((filter) => [`threads: ${JSON.stringify(filter)}`, threadsQuery(filter, 9).sql] as const),
  ])('%s', (name, sql) => {
    const steps = planOf(sql);
    // Newest first by row, cut by a limit, reads no more rows than it returns; `below` is what was found already.
    const harmless = name === 'approvals' ? ['SCAN a', 'SCAN below'] : ['SCAN below'];
    const scans = steps.filter((detail) => detail.startsWith('SCAN ') && !harmless.includes(detail));
    expect(scans).toEqual([]);
    expect(steps.filter((detail) => detail.includes('TEMP B-TREE'))).toEqual([]);
  });

  // There are few of them, whatever else is suspended; of a tree, whatever else was interrupted.
  test.each([
    ['interrupted', 'idx_threads_interrupted ('],
    ['isInterrupted', '(root_thread=? AND thread>?)'],
  ] as const)('%s by one of its own', (name, index) => {
    expect(planOf(READER_SQL[name])).toEqual([expect.stringContaining(index)]);
  });

  function planOf(sql: string): readonly string[] {
    using project = logged();
    const db = new Database(project.path, { readonly: true });
    try {
      const values = Array.from(sql.matchAll(/\?/g), () => 1);
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
      return plan.map((row) => String(Object(row).detail));
    } finally {
      db.close();
    }
  }
});
