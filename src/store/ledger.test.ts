import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LedgerRow } from '../core/store.ts';
import { Ledger } from './ledger.ts';

/** A ledger over rows in a map, as a commit would leave them. */
function createBook(): { ledger: Ledger; rows: Map<number, LedgerRow>; commit: () => void } {
  const rows = new Map<number, LedgerRow>();
  const ledger = new Ledger({ read: (thread) => rows.get(thread) });
  const commit = (): void =>
    ledger.flush(({ thread, parent, reserved, extra, actual, committed, max, status }) => {
      rows.set(thread, { thread, parent, reserved, extra, actual, committed, max, status });
    });
  return { ledger, rows, commit };
}

/** Root 1 (1,000) → child 2 (600) → grandchild 3 (300). */
function createTree(): ReturnType<typeof createBook> {
  const book = createBook();
  book.ledger.admit(1, undefined, 1_000);
  book.ledger.admit(2, 1, 600);
  book.ledger.admit(3, 2, 300);
  return book;
}

function amounts({ rows, commit }: ReturnType<typeof createBook>): Record<string, string> {
  commit();
  return Object.fromEntries(
    [...rows.values()].map(({ thread, reserved, actual, committed }) => [thread, `${reserved}/${actual}/${committed}`]),
  );
}

test.each([1, 2, 3])(
  'a node that is below itself, by way of thread %i, is refused, and so it is the next time',
  (above) => {
    const { rows, commit } = createTree();
    commit();
    const root = rows.get(1);
    if (root) rows.set(1, { ...root, parent: above });
    const ledger = new Ledger({ read: (thread) => rows.get(thread) });
    const refused = expect.objectContaining({
      code: 'store_corrupt',
      message: expect.stringContaining('below itself'),
    });
    for (const thread of [3, 1, 3]) expect(() => ledger.reserve(thread, 1)).toThrow(refused);
  },
);

describe('the tree, as reserved/actual/committed of each node', () => {
  test('a ceiling is committed at the parent and nowhere above', () => {
    expect(amounts(createTree())).toEqual({ 1: '0/0/600', 2: '0/0/300', 3: '0/0/0' });
  });

  test("a call's reservation stays at its own node", () => {
    const book = createTree();
    expect(book.ledger.reserve(3, 100)).toBe(true);
    expect(amounts(book)).toEqual({ 1: '0/0/600', 2: '0/0/300', 3: '100/0/100' });
  });

  test('a settlement is spent at every ancestor and moves no ancestor’s committed below the ceiling', () => {
    const book = createTree();
    book.ledger.reserve(3, 100);
    book.ledger.settle(3, { reserved: 100, actual: 80 });
    expect(amounts(book)).toEqual({ 1: '0/80/600', 2: '0/80/300', 3: '0/80/80' });
  });

  test('spend beyond a ceiling grows committed at each ancestor by what its own ceiling does not cover', () => {
    const book = createTree();
    book.ledger.settle(3, { reserved: 0, actual: 350 });
    expect(amounts(book)).toEqual({ 1: '0/350/600', 2: '0/350/350', 3: '0/350/350' });
    book.ledger.settle(3, { reserved: 0, actual: 300 });
    expect(amounts(book)).toEqual({ 1: '0/650/650', 2: '0/650/650', 3: '0/650/650' });
  });

  test.each<[string, (ledger: Ledger) => void, string]>([
    ['while it runs', () => undefined, '0/500/800'],
    ['of which a part is reserved for a call', (ledger) => ledger.reserve(3, 100), '0/500/800'],
    ['once it is suspended', (ledger) => ledger.suspend(2), '0/500/800'],
    ['once it has ended', (ledger) => ledger.release(2), '0/500/800'],
    ['once another took over from it', (ledger) => ledger.succeed(2, 4), '0/500/800'],
    ['as far as that is more than a higher ceiling', (ledger) => ledger.resume(2, 700), '0/500/800'],
    ['and so much as a higher ceiling that covers it', (ledger) => ledger.resume(2, 900), '0/500/900'],
    ['until that child has ended', (ledger) => ledger.release(3), '0/500/600'],
    ['until both have ended', (ledger) => [3, 2].forEach((each) => ledger.release(each)), '0/500/500'],
  ])('a child that overspent holds what is reserved below it as well, %s', (_, happens, root) => {
    const book = createTree();
    book.ledger.settle(2, { reserved: 0, actual: 500 });
    happens(book.ledger);
    expect(amounts(book)[1]).toBe(root);
  });

  test.each([
    ['a lower one', 2, 350, [true, 350, '0/0/650']],
    ['one below what is committed', 2, 200, [true, 300, '0/0/600']],
    ['none', 2, undefined, [true, 600, '0/0/900']],
    ['nothing', 2, 0, [true, 300, '0/0/600']],
    ['a higher one', 2, 700, [true, 700, '0/0/1000']],
    ['one that its parent has no room for', 2, 701, [false, 600, '0/0/900']],
  ])('a node that is given %s as its maximum holds that at its parent, but not less than it needs', (...row) => {
    const [, thread, max, expected] = row;
    const book = createBook();
    book.ledger.admit(1, undefined, 1_000);
    book.ledger.admit(2, 1, 600);
    book.ledger.admit(4, 1, 300);
    book.ledger.admit(3, 2, 300);
    const fits = book.ledger.resume(thread, max);
    expect([fits, book.ledger.look(thread).max, amounts(book)[1]]).toEqual(expected);
  });

  test('release drops own reservations and gives the unspent ceiling back', () => {
    const book = createTree();
    book.ledger.settle(3, { reserved: 0, actual: 100 });
    book.ledger.reserve(3, 150);
    book.ledger.release(3);
    expect(amounts(book)).toEqual({ 1: '0/100/600', 2: '0/100/100', 3: '0/100/100' });
  });

  test('an ended parent gives back all but what its open child may still spend', () => {
    const book = createTree();
    book.ledger.release(2);
    expect(amounts(book)).toEqual({ 1: '0/0/300', 2: '0/0/300', 3: '0/0/0' });
    book.ledger.settle(3, { reserved: 0, actual: 120 });
    expect(amounts(book)).toEqual({ 1: '0/120/300', 2: '0/120/300', 3: '0/120/120' });
    book.ledger.release(3);
    expect(amounts(book)).toEqual({ 1: '0/120/120', 2: '0/120/120', 3: '0/120/120' });
  });

  test('a reservation that a crash has dropped is settled without going below zero', () => {
    const book = createTree();
    book.ledger.settle(3, { reserved: 100, actual: 40 });
    expect(amounts(book)[3]).toBe('0/40/40');
  });
});

describe('refusals (B1)', () => {
  test.each([
    ['a call within the rest', 3, 300, true, '300/0/300'],
    ['a call beyond the rest', 3, 301, false, '0/0/0'],
    ['a call within what children left over', 2, 300, true, '300/0/600'],
    ['a call beyond what children left over', 2, 301, false, '0/0/300'],
    ['nothing at all', 2, 0, true, '0/0/300'],
  ])('%s', (_, thread, amount, granted, after) => {
    const book = createTree();
    expect(book.ledger.reserve(thread, amount)).toBe(granted);
    expect(amounts(book)[thread]).toBe(after);
  });

  test('a child whose ceiling does not fit changes nothing', () => {
    const book = createTree();
    const before = amounts(book);
    expect(book.ledger.admit(4, 1, 401)).toBe(false);
    expect(amounts(book)).toEqual(before);
    expect(book.ledger.admit(4, 1, 400)).toBe(true);
  });

  test('an overspent node grants nothing more', () => {
    const { ledger } = createTree();
    ledger.settle(3, { reserved: 0, actual: 301 });
    expect(ledger.reserve(3, 0)).toBe(false);
    expect([ledger.remaining(3), ledger.left(3)]).toEqual([0, -1]);
  });
});

test('what a child has overspent leaves no room for a sibling where money is reserved below it (B1)', () => {
  const book = createTree();
  book.ledger.settle(2, { reserved: 0, actual: 500 });
  expect(book.ledger.admit(4, 1, 201)).toBe(false);
  expect(book.ledger.admit(4, 1, 200)).toBe(true);
  expect(book.ledger.remaining(1)).toBe(0);
});

describe('memory', () => {
  test('ended nodes leave once they are written, and their ancestors with the last of them', () => {
    const { ledger, commit } = createTree();
    ledger.park(1);
    ledger.park(2);
    commit();
    expect(ledger.size).toBe(3);
    ledger.release(3);
    commit();
    expect(ledger.size).toBe(0);
  });

  test('a node that left is read back with its ancestors and written where it belongs', () => {
    const book = createTree();
    for (const thread of [1, 2, 3]) book.ledger.park(thread);
    book.commit();
    expect(book.ledger.size).toBe(0);
    book.ledger.settle(3, { reserved: 0, actual: 5 });
    expect(amounts(book)).toEqual({ 1: '0/5/600', 2: '0/5/300', 3: '0/5/5' });
  });

  test('10,000 levels are no deeper than the heap', () => {
    const book = createBook();
    book.ledger.admit(1, undefined, 10);
    for (let thread = 2; thread <= 10_000; thread++) book.ledger.admit(thread, thread - 1, 10);
    book.commit();
    book.ledger.reset();
    book.ledger.settle(10_000, { reserved: 0, actual: 7 });
    book.commit();
    expect(book.rows.get(1)).toMatchObject({ actual: 7, committed: 10 });
  });

  test('a missing row is a damaged store', () => {
    const { ledger } = createBook();
    expect(() => ledger.settle(1, { reserved: 0, actual: 1 })).toThrow(
      expect.objectContaining({ code: 'store_corrupt' }),
    );
  });
});

/** The definitions, written down without any thought of speed. */
type ModelNode = {
  parent: number | undefined;
  max: number;
  calls: number[];
  extra: number;
  spent: number;
  state: LedgerRow['status'];
};

function modelActual(nodes: readonly ModelNode[], thread: number): number {
  return childrenOf(nodes, thread).reduce((sum, child) => sum + modelActual(nodes, child), at(nodes, thread).spent);
}

function modelHeld(nodes: readonly ModelNode[], thread: number): number {
  const { max, state, extra } = at(nodes, thread);
  const inUse = modelReserved(nodes, thread) + extra + heldBelow(nodes, thread);
  return state === 'active' ? Math.max(inUse, max - modelActual(nodes, thread)) : inUse;
}

function heldBelow(nodes: readonly ModelNode[], thread: number): number {
  return childrenOf(nodes, thread).reduce((sum, child) => sum + modelHeld(nodes, child), 0);
}

function modelReserved(nodes: readonly ModelNode[], thread: number): number {
  return at(nodes, thread).calls.reduce((sum, call) => sum + call, 0);
}

/** What calls and hooks have reserved of a thread and of all that are below it. */
function openBelow(rows: readonly LedgerRow[], { thread, reserved, extra }: LedgerRow): number {
  const below = rows.filter(({ parent }) => parent === thread);
  return below.reduce((sum, row) => sum + openBelow(rows, row), reserved + extra);
}

function modelRow(nodes: readonly ModelNode[], thread: number): LedgerRow {
  const { parent, max, extra, state } = at(nodes, thread);
  const reserved = modelReserved(nodes, thread);
  const actual = modelActual(nodes, thread);
  const committed = reserved + extra + actual + heldBelow(nodes, thread);
  return { thread, parent, reserved, extra, actual, committed, max, status: state };
}

/** Whether a change makes some node hold more than its maximum that did not hold more already, or holds more still. */
function exceeds(nodes: readonly ModelNode[], thread: number, change: (nodes: ModelNode[]) => void): boolean {
  const after = structuredClone([...nodes]);
  change(after);
  for (let next: number | undefined = thread; next !== undefined; next = at(nodes, next).parent) {
    const before = modelRow(nodes, next).committed;
    const { committed, max } = modelRow(after, next);
    if (committed > max && committed > before) return true;
  }
  return false;
}

function childrenOf(nodes: readonly ModelNode[], thread: number): number[] {
  return nodes.flatMap((node, index) => (node.parent === thread ? [index] : []));
}

function at(nodes: readonly ModelNode[], thread: number): ModelNode {
  const node = nodes[thread];
  if (!node) throw new Error(`no node ${thread}`);
  return node;
}

type Command = {
  readonly type:
    | 'admit'
    | 'reserve'
    | 'settle'
    | 'release'
    | 'park'
    | 'commit'
    | 'suspend'
    | 'resume'
    | 'hold'
    | 'succeed';
  readonly node: number;
};
type Amounts = { readonly amount: number; readonly oldest: boolean };

/** A ledger and its model, to which the same things happen. */
function createTrial(): {
  readonly book: ReturnType<typeof createBook>;
  readonly nodes: ModelNode[];
  settled(): number;
  run(command: Command & Amounts): { readonly granted: boolean; readonly fits: boolean };
} {
  const book = createBook();
  const { ledger } = book;
  const nodes: ModelNode[] = [newModel(undefined, 1_000)];
  let settled = 0;
  ledger.admit(0, undefined, 1_000);
  /** Changes the model if that leaves B1 whole, and says so. */
  const change = (thread: number, amount: number, apply: (all: ModelNode[]) => void): boolean => {
    const { max, committed } = modelRow(nodes, thread);
    if (amount > max - committed || exceeds(nodes, thread, apply)) return false;
    apply(nodes);
    return true;
  };
  return {
    book,
    nodes,
    settled: () => settled,
    run({ type, node, amount, oldest }) {
      const thread = node % nodes.length;
      const model = at(nodes, thread);
      const done = { granted: true, fits: true };
      if (type === 'commit') {
        book.commit();
        if (oldest) ledger.reset();
        return done;
      }
      if (type === 'park') {
        ledger.park(thread);
        return done;
      }
      if (type === 'release') {
        ledger.release(thread);
        Object.assign(model, { state: 'released', calls: [], extra: 0 });
        return done;
      }
      if (model.state === 'released') return done;
      switch (type) {
        case 'settle':
          settled += amount;
          model.spent += amount;
          ledger.settle(thread, {
            reserved: (oldest ? model.calls.shift() : model.calls.pop()) ?? 0,
            actual: amount,
          });
          return done;
        case 'suspend':
          ledger.suspend(thread);
          model.state = 'suspended';
          return done;
        case 'succeed':
          ledger.succeed(thread, nodes.length);
          nodes.push({ ...model, calls: [], spent: 0 });
          Object.assign(model, { parent: nodes.length - 1, calls: [], extra: 0, state: 'released' });
          return done;
        case 'resume': {
          const wanted = oldest ? undefined : amount * 3;
          const least = Math.min(model.max, modelRow(nodes, thread).committed);
          const resumed = { max: wanted === undefined ? model.max : Math.max(wanted, least), state: 'active' } as const;
          const fits = !exceeds(nodes, thread, (all) => void Object.assign(at(all, thread), resumed));
          if (fits) Object.assign(model, resumed);
          return { granted: ledger.resume(thread, wanted), fits };
        }
        case 'admit': {
          const next = nodes.length;
          const fits = change(thread, amount, (all) => void all.push(newModel(thread, amount)));
          return { granted: ledger.admit(next, thread, amount), fits };
        }
        case 'reserve': {
          const fits = change(thread, amount, (all) => void at(all, thread).calls.push(amount));
          return { granted: ledger.reserve(thread, amount), fits };
        }
        case 'hold': {
          const fits = change(thread, amount, (all) => (at(all, thread).extra += amount));
          return { granted: ledger.reserveExtra(thread, amount), fits };
        }
      }
    },
  };
}

function newModel(parent: number | undefined, max: number): ModelNode {
  return { parent, max, calls: [], extra: 0, spent: 0, state: 'active' };
}

const command: fc.Arbitrary<Command & Amounts> = fc.record({
  type: fc.constantFrom(
    ...(['admit', 'reserve', 'settle', 'settle', 'release', 'park', 'commit'] as const),
    ...(['suspend', 'resume', 'hold', 'succeed'] as const),
  ),
  node: fc.nat(50),
  amount: fc.nat(400),
  oldest: fc.boolean(),
});

test('any interleaving in any tree agrees with the definitions, and B1 to B4 hold', () => {
  fc.assert(
    fc.property(fc.array(command, { minLength: 5, maxLength: 60 }), (commands) => {
      const trial = createTrial();
      const { book, nodes } = trial;
      const spent = new Map<number, number>();
      for (const each of commands) {
        const { granted, fits } = trial.run(each);
        expect(granted).toBe(fits); // B1
        const rows = each.type === 'commit' ? [...book.rows.values()] : [];
        expect(rows).toEqual(rows.map(({ thread }) => modelRow(nodes, thread)));
        expect(rows.filter((row) => row.committed < row.actual + openBelow(rows, row))).toEqual([]); // B1
        expect(rows.filter(({ thread, actual }) => actual < (spent.get(thread) ?? 0))).toEqual([]); // B2
        expect(rows.filter(({ status, reserved, extra }) => status === 'released' && reserved + extra > 0)).toEqual([]); // B3
        for (const { thread, actual } of rows) spent.set(thread, actual);
      }
      for (const index of nodes.keys()) book.ledger.release(index);
      book.commit();
      expect([...book.rows.values()].filter(({ committed, actual }) => committed !== actual)).toEqual([]); // B3
      const tops = [...book.rows.values()].filter(({ parent }) => parent === undefined);
      expect(tops).toMatchObject([{ actual: trial.settled() }]); // B4
      expect(book.ledger.size).toBe(0);
    }),
    { numRuns: 600 },
  );
});
