import { describe, expect, test } from 'vitest';
import { admit, END, idOf, scratchStore, step, type ScratchStore } from '../../test/conformance/store-fixture.ts';
import type { StoreOp, StoreResult } from '../core/store.ts';
import type { BudgetOp } from '../core/store-budget.ts';

/** Root 1 (1,000) → child 2 (600) → grandchild 3 (300), and a second root 4. */
function family(options: Parameters<typeof scratchStore>[0] = {}): ScratchStore {
  const project = scratchStore(options);
  project.store.commit([
    admit(1),
    admit(2, { parent: 1, ceiling: 600 }),
    admit(3, { parent: 2, ceiling: 300 }),
    admit(4),
  ]);
  return project;
}

/** An operation by the hook of thread 2 on its own node, unless something else is said. */
function budget(operation: BudgetOp['operation'], over: Partial<BudgetOp> = {}): BudgetOp {
  const defaults = { threadId: idOf(2), amount: 100, key: undefined, reservation: undefined, at: 3_000 };
  return { type: 'budget', operation, asker: 2, ...defaults, ...over };
}

function apply(
  { store }: ScratchStore,
  ...ops: Parameters<ScratchStore['store']['commit']>[0]
): readonly StoreResult[] {
  return store.commit(ops);
}

const refusal = (code: string): unknown => expect.objectContaining({ failure: expect.objectContaining({ code }) });
const granted = (amount: number, remaining: number): unknown =>
  expect.objectContaining({ type: 'budget', granted: true, amount, remaining });

describe('a hook’s reservation', () => {
  test('counts into committed until it is reported, released, or the thread ends', () => {
    using project = family();
    const held = (): unknown => {
      const { extra, actual, committed } = project.reader.ledger(2) ?? {};
      return [extra, actual, committed];
    };
    expect(apply(project, budget('reserve', { amount: 200 }))).toEqual([granted(200, 100)]);
    expect(held()).toEqual([200, 0, 500]);
    expect(apply(project, budget('report_actual', { amount: 150 }))).toEqual([granted(150, 100)]);
    expect(held()).toEqual([50, 150, 500]);
    expect(apply(project, budget('release'))).toEqual([granted(50, 150)]);
    expect(held()).toEqual([0, 150, 450]);
    apply(project, budget('reserve', { amount: 150 }), step(2, 1, { status: END }));
    expect(project.reader.ledger(2)).toMatchObject({ extra: 0, actual: 150, committed: 450, status: 'released' });
    expect(project.query("SELECT * FROM budget_entries WHERE open_amount <> '0'")).toEqual([]);
  });

  test('is refused when it does not fit, and holds nothing (B1)', () => {
    using project = family();
    const refused = { type: 'budget', granted: false, amount: 0, over: 0, remaining: 300 };
    expect(apply(project, budget('reserve', { amount: 301 }))).toEqual([refused]);
    expect(project.reader.ledger(2)).toMatchObject({ extra: 0, committed: 300 });
  });

  test('outlives the runtime, as does that of a model call', () => {
    using project = family();
    apply(project, budget('reserve', { amount: 200 }), step(2, 1, { reserve: 50 }));
    project.reopen();
    expect(project.reader.ledger(2)).toMatchObject({ reserved: 50, extra: 200, committed: 550 });
  });

  test('can be reported or released by its key alone', () => {
    using project = family();
    apply(project, budget('reserve', { amount: 10, key: 'a' }), budget('reserve', { amount: 20, key: 'b' }));
    expect(apply(project, budget('release', { reservation: 'b' }))).toEqual([granted(20, 290)]);
    expect(apply(project, budget('release', { reservation: 'c' }))).toEqual([refusal('invalid_argument')]);
    expect(project.reader.ledger(2)).toMatchObject({ extra: 10 });
  });

  test('that is reported with more than it holds is an overspend in full, said with the answer', () => {
    using project = family();
    const [answer] = apply(project, budget('report_actual', { amount: 400 }));
    expect(answer).toMatchObject({ granted: true, over: 100, remaining: 0 });
    expect(project.reader.ledger(2)).toMatchObject({ actual: 400, committed: 700 });
    expect(project.reader.ledger(1)).toMatchObject({ actual: 400, committed: 700 });
  });

  test('that is reported later says of the overspend only what it adds', () => {
    using project = family();
    const report = (amount: number) => budget('report_actual', { amount });
    const over = apply(project, report(400), report(30), budget('release'), report(1)).map((answer) =>
      answer !== true && answer.type === 'budget' ? answer.over : answer,
    );
    expect(over).toEqual([100, 30, 0, 1]);
  });

  test('that is reported for a suspended thread says what it takes its ancestors over (B1)', () => {
    using project = family({ releaseSuspended: true });
    apply(project, step(2, 1, { status: { to: 'suspended', reason: 'user' } }));
    apply(project, admit(5, { parent: 1, ceiling: 700 }));
    expect(apply(project, budget('report_actual', { amount: 40, asker: 1 }))).toMatchObject([{ over: 40 }]);
    expect(project.reader.ledger(1)).toMatchObject({ actual: 40, committed: 1_040, max: 1_000 });
  });
});

describe('a key that comes again', () => {
  test.each([
    ['a reservation', budget('reserve', { key: 'k' })],
    ['a refused reservation', budget('reserve', { key: 'k', amount: 9_999 })],
    ['a report', budget('report_actual', { key: 'k' })],
    ['a release', budget('release', { key: 'k' })],
  ])('changes nothing and is answered as before: %s', (_, op) => {
    using project = family();
    apply(project, budget('reserve', { amount: 7 }));
    const [first] = apply(project, op);
    const books = 'SELECT thread, extra_reserved, actual_spend, committed FROM budget_ledger';
    const before = project.query(books);
    expect(apply(project, op, op)).toEqual([first, first]);
    project.reopen();
    expect(apply(project, op)).toEqual([first]);
    expect(project.query(books)).toEqual(before);
  });

  test('says no second time that there was an overspend', () => {
    using project = family();
    const op = budget('report_actual', { key: 'k', amount: 400 });
    expect(apply(project, op, op)).toMatchObject([{ over: 100 }, { over: 0, amount: 400 }]);
  });

  test('for another operation is refused', () => {
    using project = family();
    apply(project, budget('reserve', { key: 'k' }));
    expect(apply(project, budget('release', { key: 'k' }))).toEqual([refusal('invalid_argument')]);
  });

  test('is another one at another node', () => {
    using project = family();
    const ops = [2, 3].map((thread) => budget('reserve', { key: 'k', threadId: idOf(thread) }));
    expect(apply(project, ...ops)).toMatchObject([{ amount: 100 }, { amount: 100 }]);
  });
});

describe('whose budget it is', () => {
  const DENIED = { type: 'failed', failure: { code: 'permission_denied' } };

  test.each([
    ['its own', 2, { type: 'budget', granted: true }],
    ['a thread below', 3, { type: 'budget', granted: true }],
    ['its parent', 1, DENIED],
    ['a stranger', 4, DENIED],
    ['nobody', 99, DENIED],
  ])('%s', (_, thread, answer) => {
    using project = family();
    const results = apply(project, budget('check_remaining', { threadId: idOf(thread) }));
    expect(results).toMatchObject([answer]);
  });

  test('nothing can be reserved or reported for one that has ended', () => {
    using project = family();
    apply(project, step(3, 1, { status: END }));
    const threadId = idOf(3);
    expect(apply(project, budget('reserve', { threadId }), budget('report_actual', { threadId }))).toEqual([
      refusal('thread_ended'),
      refusal('thread_ended'),
    ]);
    expect(apply(project, budget('check_remaining', { threadId }))).toMatchObject([{ granted: true }]);
  });

  test.each([-1, 0.5, Number.NaN])('%s is no amount', (amount) => {
    using project = family();
    expect(apply(project, budget('reserve', { amount }))).toEqual([refusal('invalid_argument')]);
  });
});

describe('questions', () => {
  test.each([
    [300, true],
    [301, false],
  ])('can_spawn a child with %s: %s', (ceiling, allowed) => {
    using project = family();
    expect(apply(project, { type: 'can_spawn', thread: 2, ceiling })).toEqual([
      { type: 'can_spawn', allowed, remaining: 300 },
    ]);
    expect(apply(project, admit(5, { parent: 2, ceiling }))[0] === true).toBe(allowed);
  });

  test('an ended thread can spawn nothing, an unknown one is not found', () => {
    using project = family();
    apply(project, step(2, 1, { status: END }));
    const results = apply(project, ...[2, 9].map((thread) => ({ type: 'can_spawn', thread, ceiling: 0 }) as const));
    expect(results).toEqual([expect.objectContaining({ allowed: false }), refusal('thread_not_found')]);
  });

  test('tree_spend is what a subtree has spent', () => {
    using project = family();
    apply(
      project,
      step(3, 1, { settle: { reserved: 0, actual: 40 } }),
      step(2, 1, { settle: { reserved: 0, actual: 2 } }),
    );
    const spent = apply(project, ...[1, 2, 3].map((thread) => ({ type: 'tree_spend', thread }) as const));
    expect(spent).toMatchObject([{ actual: 42 }, { actual: 42 }, { actual: 40, max: 300, remaining: 260 }]);
    expect(apply(project, { type: 'tree_spend', thread: 9 })).toEqual([refusal('thread_not_found')]);
  });
});

describe('what comes again', () => {
  test('an admission changes nothing, though its parent could not afford it any more', () => {
    using project = family();
    const op = admit(5, { parent: 2, ceiling: 300 });
    expect(apply(project, op, op)).toEqual([true, true]);
    expect(apply(project, op)).toEqual([true]);
    expect(project.reader.ledger(2)).toMatchObject({ committed: 600 });
  });

  test('a step changes nothing, whatever it carries', () => {
    using project = family();
    const op = step(3, 1, {
      settle: { reserved: 0, actual: 30 },
      reserve: 20,
      cost: { turns: 1, inputTokens: 1, outputTokens: 1, spend: 30 },
      status: { to: 'running' },
    });
    expect(apply(project, op, op, step(3, 2), op)).toEqual([true, true, true, true]);
    expect(project.reader.ledger(3)).toMatchObject({ reserved: 20, actual: 30 });
    expect(project.reader.ledger(1)).toMatchObject({ actual: 30 });
    expect(project.reader.events(3)).toHaveLength(2);
  });

  test('a step whose reservation was refused is refused again', () => {
    using project = family();
    const op = step(3, 1, { reserve: 301 });
    const refused = { type: 'refused', remaining: 300 };
    expect(apply(project, op, op)).toEqual([refused, refused]);
  });

  test('a step after an overspend hears how much that was, and hears it again', () => {
    using project = family();
    apply(project, budget('report_actual', { threadId: idOf(3), amount: 500 }));
    const op = step(3, 1, { reserve: 1 });
    const refused = { type: 'refused', remaining: -200 };
    expect(apply(project, op, op)).toEqual([refused, refused]);
  });

  test.each(['\u0001', '\u00011'])('a refused step finds its key free: %j is none for a hook', (key) => {
    using project = family();
    expect(apply(project, budget('reserve', { key }))).toEqual([refusal('invalid_argument')]);
    expect(project.reader.ledger(2)).toMatchObject({ extra: 0 });
    expect(apply(project, step(2, 1, { reserve: 301 }))).toEqual([{ type: 'refused', remaining: 300 }]);
  });

  test('the last step of a thread ends it once', () => {
    using project = family();
    const op = step(3, 1, { settle: { reserved: 0, actual: 30 }, status: END });
    expect(apply(project, op, op)).toEqual([true, true]);
    expect(project.reader.ledger(1)).toMatchObject({ actual: 30 });
  });
});

describe('where suspensions release', () => {
  const suspend = step(2, 1, { status: { to: 'suspended', reason: 'user' } });
  const resumed = { to: 'suspended', reason: 'shutdown' } as const;
  const resume = step(2, 2, { ceiling: 'kept', status: resumed });

  test('the unspent part goes back to the parent, but for what is reserved or held below', () => {
    using project = family({ releaseSuspended: true });
    apply(project, budget('reserve', { amount: 50 }), step(3, 1, { settle: { reserved: 0, actual: 20 } }), suspend);
    expect(project.reader.ledger(2)).toMatchObject({ status: 'suspended', extra: 50, committed: 350 });
    expect(project.reader.ledger(1)).toMatchObject({ actual: 20, committed: 350 });
  });

  test('it is reserved again with the step that says that the thread goes on', () => {
    using project = family({ releaseSuspended: true });
    apply(project, suspend);
    expect(project.reader.ledger(1)).toMatchObject({ committed: 300 });
    project.reopen();
    expect(apply(project, resume, resume)).toEqual([true, true]);
    expect(project.reader.ledger(2)).toMatchObject({ status: 'active' });
    expect(project.reader.ledger(1)).toMatchObject({ committed: 600 });
  });

  test('if it no longer fits, nothing is changed, and nothing of the step is there', () => {
    using project = family({ releaseSuspended: true });
    apply(project, suspend, admit(5, { parent: 1, ceiling: 500 }));
    const failure = { code: 'budget_refused', detail: { remaining: 200 } };
    expect(apply(project, resume)).toMatchObject([{ type: 'failed', failure }]);
    expect(project.reader.threadByNo(2)).toMatchObject({ suspendReason: 'user' });
    expect(project.reader.events(2)).toEqual([suspend.lines]);
    expect(project.reader.ledger(2)).toMatchObject({ status: 'suspended' });
    expect(project.reader.ledger(1)).toMatchObject({ committed: 800 });
  });

  test('one that goes on without it reserves what still fits above, and no more (B1)', () => {
    using project = family({ releaseSuspended: true });
    apply(project, suspend, admit(5, { parent: 1, ceiling: 500 }));
    const run = step(2, 2, { status: { to: 'running' } });
    expect(apply(project, run, step(2, 3, { reserve: 201 }), step(2, 4, { reserve: 200 }))).toEqual([
      true,
      { type: 'refused', remaining: 300 },
      true,
    ]);
    expect(project.reader.ledger(1)).toMatchObject({ committed: 1_000 });
  });

  test('nothing is given back elsewhere', () => {
    using project = family();
    apply(project, suspend);
    expect(project.reader.ledger(1)).toMatchObject({ committed: 600 });
  });
});

test.each<[string, StoreOp, string]>([
  [
    'a child',
    admit(5, { parent: 3, ceiling: 900_000_000 }),
    'the thread has $0.0998 left, and its child would get $0.90',
  ],
  ['a resumption', step(3, 1, { ceiling: 900_000_000 }), 'what is above the thread has $0.10 left, and it needs more'],
])('%s that does not fit is refused in USD, and without numbers of the store', (_what, op, message) => {
  using project = scratchStore();
  const above = admit(2, { parent: 1, ceiling: 199_800_000 });
  project.store.commit([admit(1, { ceiling: 1e9 }), above, admit(3, { parent: 2, ceiling: 99_800_000 })]);
  expect(apply(project, op)).toMatchObject([{ failure: { code: 'budget_refused', message } }]);
});

test('a ceiling below an ended parent is raised only as far as every thread above can follow (B1)', () => {
  using project = family();
  apply(project, step(2, 1, { status: END }), admit(5, { parent: 1, ceiling: 700 }));
  expect(project.reader.ledger(1)).toMatchObject({ committed: 1_000 });
  expect(apply(project, step(3, 1, { ceiling: 301 }))).toMatchObject([{ type: 'failed' }]);
  expect(project.reader.ledger(1)).toMatchObject({ committed: 1_000 });
});
