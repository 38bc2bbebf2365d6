import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { admit, END, idOf, scratchStore, step, type ScratchStore } from '../../test/conformance/store-fixture.ts';
import { createApprovalIds, type ApprovalId } from '../core/ids.ts';
import type { StepOp, StoreOp } from '../core/store.ts';
import type { ApprovalRequest } from '../core/store-approvals.ts';
import { READER_SQL } from './queries.ts';

const ID: ApprovalId = `approval-${'a'.repeat(32)}`;

function request(over: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    approvalId: ID,
    reason: 'limit',
    limitCode: 'spend_exceeded',
    currentValue: 1_000.5,
    currentMax: 1_000,
    suggested: 2_000,
    askedBy: 'on_exceed',
    message: 'May I?',
    ...over,
  };
}

/** A step that suspends a thread and asks. */
function ask(thread: number, over: Partial<ApprovalRequest> = {}): StepOp {
  return step(thread, 1, { status: { to: 'suspended', reason: 'limit' }, request: request(over), at: 5_000 });
}

function decide(thread: number, status: 'granted' | 'denied', over: Partial<StepOp> = {}): StepOp {
  const decision = { approvalId: ID, status, by: 'ada', granted: status === 'granted' ? '{"spend":2}' : undefined };
  return step(thread, 2, { decision, at: 6_000, ...over });
}

function asked(): ScratchStore {
  const project = scratchStore();
  project.store.commit([admit(1), admit(2), ask(1)]);
  return project;
}

describe('a request', () => {
  test('is stored with the suspension, its numbers whole', () => {
    using project = asked();
    expect(project.reader.approval(ID)).toEqual({
      ...request({ currentValue: 1_001 }),
      thread: 1,
      threadId: idOf(1),
      directive: 'demo/task',
      status: 'pending',
      requestedAt: 5_000,
      decidedAt: undefined,
      decidedBy: undefined,
      granted: undefined,
    });
    expect(project.reader.threadByNo(1)).toMatchObject({ status: 'suspended' });
  });

  test('that is about no limit has none', () => {
    using project = scratchStore();
    const none = { limitCode: undefined, currentValue: undefined, currentMax: undefined, suggested: undefined };
    project.store.commit([admit(1), ask(1, { ...none, reason: 'approval' })]);
    expect(project.reader.approval(ID)).toMatchObject({ ...none, reason: 'approval' });
  });

  test('with an id that is taken fails with its step', () => {
    using project = asked();
    expect(project.store.commit([ask(2)])).toMatchObject([{ type: 'failed', failure: { code: 'invalid_argument' } }]);
    expect(project.reader.threadByNo(2)).toMatchObject({ status: 'created' });
  });

  test('survives the end of the runtime', () => {
    using project = asked();
    project.reopen();
    expect(project.reader.approvals({ status: 'pending' })).toHaveLength(1);
  });
});

describe('an answer', () => {
  test.each([
    ['granted', { to: 'running' } as const, '{"spend":2}'],
    ['denied', END, undefined],
  ] as const)('%s is stored with what comes of it', (status, to, granted) => {
    using project = asked();
    expect(project.store.commit([decide(1, status, { status: to })])).toEqual([true]);
    const settled = { status, granted, decidedBy: 'ada', decidedAt: 6_000 };
    expect(project.reader.approval(ID)).toMatchObject(settled);
    expect(project.reader.threadByNo(1)).toMatchObject({ status: to.to });
  });

  test('that comes second changes nothing', () => {
    using project = asked();
    const second = { ...decide(1, 'denied'), lines: '', firstSequence: 0, lastSequence: 0 };
    expect(project.store.commit([decide(1, 'granted'), second])).toEqual([true, true]);
    expect(project.reader.approval(ID)).toMatchObject({ status: 'granted' });
  });

  test('for another thread’s request fails', () => {
    using project = asked();
    const op = { ...decide(2, 'granted'), lines: '', firstSequence: 0, lastSequence: 0 };
    expect(project.store.commit([op])).toMatchObject([{ type: 'failed' }]);
    expect(project.reader.approval(ID)).toMatchObject({ status: 'pending' });
  });
});

describe('a request without an answer', () => {
  test.each([false, true])('is cancelled with the end of its thread (runtime started anew: %s)', (anew) => {
    using project = asked();
    project.store.commit([ask(2, { approvalId: `approval-${'b'.repeat(32)}` })]);
    if (anew) project.reopen();
    project.store.commit([step(1, 2, { status: END, at: 7_000 })]);
    expect(project.reader.approval(ID)).toMatchObject({ status: 'cancelled', decidedAt: 7_000, decidedBy: undefined });
    expect(project.reader.approvals({ status: 'pending' })).toMatchObject([{ thread: 2 }]);
  });

  test('is cancelled also when a neighbour in the transaction made SQLite refuse it', () => {
    using project = asked();
    const bad = { ...step(2, 1), lines: { no: 'text' } as unknown as string };
    expect(project.store.commit([bad, step(1, 2, { status: END })])).toMatchObject([{ type: 'failed' }, true]);
    expect(project.reader.approval(ID)).toMatchObject({ status: 'cancelled' });
  });
});

describe('a list of requests', () => {
  // The clock was set back before the third.
  const ids = ['a', 'c', 'b'].map((letter): ApprovalId => `approval-${letter.repeat(32)}`);

  test.each([
    ['all, newest first', {}, [2, 1, 0]],
    ['at most', { limit: 2 }, [2, 1]],
    ['pending', { status: 'pending' as const }, [2, 1]],
    ['of a thread', { thread: 1 }, [0]],
    ['of a thread and a status', { thread: 1, status: 'pending' as const }, []],
  ])('%s', (_, filter, expected) => {
    using project = scratchStore();
    for (const [index, approvalId] of ids.entries()) {
      project.store.commit([admit(index + 1), ask(index + 1, { approvalId })]);
    }
    project.store.commit([decide(1, 'granted')]);
    expect(project.reader.approvals(filter).map(({ approvalId }) => approvalId)).toEqual(
      expected.map((index) => ids[index]),
    );
  });

  test.each(['thread', 'thread, approval_id'])(
    'of a thread is by row, also in the archive, from a database with an index by %s',
    (columns) => {
      let now = 0;
      using project = scratchStore({ now: () => now, cleanup: { archiveAfterDays: 30, vacuumIntervalDays: 7 } });
      const db = new Database(project.path);
      db.exec(`DROP INDEX idx_approvals_thread; CREATE INDEX idx_approvals_thread ON approvals (${columns})`);
      db.close();
      const asks = ids.map((approvalId, index) => step(1, index + 1, { request: request({ approvalId }), at: 0 }));
      project.store.commit([admit(1, { at: 0 }), ...asks, step(1, 4, { status: END, at: 0 })]);
      const found = (): unknown => project.reader.approvals({ thread: 1 }).map(({ approvalId }) => approvalId);
      expect(found()).toEqual(ids.toReversed());
      now = 31 * 86_400_000;
      while (project.store.tidy?.());
      expect(project.query('SELECT * FROM threads')).toEqual([]);
      expect(found()).toEqual(ids.toReversed());
    },
  );

  test('of 1,000 that wait among 5,000 that were settled looks at the index alone', () => {
    using project = scratchStore();
    const newId = createApprovalIds(
      () => 1,
      (size) => crypto.getRandomValues(new Uint8Array(size)),
    );
    const ops = Array.from({ length: 6_000 }, (_, index): StoreOp[] => {
      const thread = index + 1;
      const approvalId = newId();
      const decision = { approvalId, status: 'denied', by: 'ada', granted: undefined } as const;
      const answered = thread % 6 === 0 ? [] : [step(thread, 2, { decision, status: END })];
      return [admit(thread), ask(thread, { approvalId }), ...answered];
    });
    expect(project.store.commit(ops.flat()).every((result) => result === true)).toBe(true);
    const waiting = project.reader.approvals({ status: 'pending', limit: 10_000 });
    expect(waiting).toHaveLength(1_000);
    expect(waiting.map(({ thread }) => thread)).toEqual(Array.from({ length: 1_000 }, (_, at) => 6_000 - 6 * at));
    const plan = project.query(`EXPLAIN QUERY PLAN ${READER_SQL.approvalsOfStatus}`, 'pending', 10_000);
    expect(plan.map((row) => (row as { readonly detail: string }).detail)).toEqual([
      expect.stringMatching(/^SEARCH a USING INDEX \w+ \(status=\?\)$/),
      expect.stringMatching(/^SEARCH t USING INTEGER PRIMARY KEY/),
    ]);
  });

  test('with half a limit is refused', () => {
    using project = scratchStore();
    expect(() => project.reader.approvals({ limit: 0.5 })).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    );
  });
});

test('an approval id is a UUIDv7 that sorts by its time', () => {
  let now = 1_000;
  const next = createApprovalIds(
    () => now++,
    (size) => new Uint8Array(size),
  );
  const made = [next(), next(), next()];
  expect(made[0]).toMatch(/^approval-[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
  expect(made.toSorted()).toEqual(made);
});
