import { describe, expect, test } from 'vitest';
import type { TerminalStatus } from '../../src/core/ending.ts';
import { decodeEvents, encodeEvent } from '../../src/core/events.ts';
import type { StepOp, Store, StoreOpened, StoreReader, StoreResult } from '../../src/core/store.ts';
import { admit, idOf, lines, step } from './store-fixture.ts';

/** One project's storage: `open` and `read` may be called again after a close. */
export type StoreHarness = Disposable & {
  open(): Store & { readonly opened: StoreOpened };
  read(): StoreReader;
};

const END = { to: 'completed', ending: '{"status":"completed"}' } as const;

/** What every {@link Store} must do, whatever it keeps its data in. */
export function storeConformance(name: string, create: () => StoreHarness): void {
  /** A harness with an open store in which thread 1 is admitted. */
  function begin(): StoreHarness & { readonly store: Store; readonly reader: StoreReader } {
    const harness = create();
    const store = harness.open();
    expect(store.commit([admit(1)])).toEqual([true]);
    const reader = harness.read();
    return {
      ...harness,
      store,
      reader,
      [Symbol.dispose]() {
        reader.close();
        store.close();
        harness[Symbol.dispose]();
      },
    };
  }

  describe(`${name}: admission`, () => {
    test('writes the registry row and the ledger node', () => {
      using project = begin();
      expect(project.reader.threadByNo(1)).toEqual({
        thread: 1,
        threadId: idOf(1),
        parent: undefined,
        root: 1,
        directive: 'demo/task',
        model: 'scripted',
        status: 'created',
        suspendReason: undefined,
        cost: { turns: 0, inputTokens: 0, outputTokens: 0, spend: 0 },
        ending: undefined,
        createdAt: 1_000,
        updatedAt: 1_000,
      });
      expect(project.reader.ledger(1)).toEqual({
        thread: 1,
        parent: undefined,
        reserved: 0,
        extra: 0,
        actual: 0,
        committed: 0,
        max: 1_000,
        status: 'active',
      });
    });

    test('reserves the ceiling from the parent', () => {
      using project = begin();
      expect(project.store.commit([admit(2, { parent: 1, ceiling: 600 })])).toEqual([true]);
      expect(project.reader.ledger(1)).toMatchObject({ committed: 600 });
      expect(project.reader.threadByNo(2)).toMatchObject({ parent: 1, root: 1 });
    });

    test('beyond the parent’s budget is refused and leaves nothing', () => {
      using project = begin();
      const results = project.store.commit([admit(2, { parent: 1, ceiling: 1_001 })]);
      expect(results).toEqual([failedWith('budget_refused', { remaining: 1_000 })]);
      expect(project.reader.threadByNo(2)).toBeUndefined();
      expect(project.reader.ledger(1)).toMatchObject({ committed: 0 });
      expect(project.store.commit([admit(2, { parent: 1, ceiling: 1_000 })])).toEqual([true]);
    });

    test.each([
      ['a number that is taken', admit(1, { threadId: idOf(9) }), 'invalid_argument'],
      ['an id that is taken', admit(9, { threadId: idOf(1) }), 'invalid_argument'],
      ['a parent that is not there', admit(9, { parent: 8 }), 'thread_not_found'],
      ['itself as parent', admit(9, { parent: 9 }), 'invalid_argument'],
      ['a negative ceiling', admit(9, { ceiling: -1 }), 'invalid_argument'],
      ['a broken ceiling', admit(9, { ceiling: 0.5 }), 'invalid_argument'],
      ['a root that is not the root', admit(9, { root: 1 }), 'invalid_argument'],
    ])('with %s fails and leaves the rest of the batch alone', (_, op, code) => {
      using project = begin();
      expect(project.store.commit([admit(2), op, admit(3)])).toEqual([true, failedWith(code), true]);
      expect(project.reader.threadByNo(9)).toBeUndefined();
      expect(project.reader.threads({})).toHaveLength(3);
    });
  });

  describe(`${name}: steps`, () => {
    test('events come back in order, in the chunks they came in', () => {
      using project = begin();
      const first = step(1, 1, { lines: lines(1, 3), lastSequence: 3 });
      project.store.commit([first, step(1, 4)]);
      project.store.commit([step(1, 5)]);
      expect(project.reader.events(1)).toEqual([lines(1, 3), lines(4, 4), lines(5, 5)]);
      expect(sequences(project.reader)).toEqual([1, 2, 3, 4, 5]);
    });

    test('events from a sequence number on include the chunk it is in', () => {
      using project = begin();
      project.store.commit([step(1, 1, { lines: lines(1, 3), lastSequence: 3 }), step(1, 4)]);
      expect(project.reader.events(1, 3)).toEqual([lines(1, 3), lines(4, 4)]);
      expect(project.reader.events(1, 4)).toEqual([lines(4, 4)]);
    });

    test('status, cost and reason are those of the last step', () => {
      using project = begin();
      const cost = { turns: 2, inputTokens: 30, outputTokens: 4, spend: 50 };
      project.store.commit([step(1, 1, { status: { to: 'running' } }), step(1, 2, { cost, at: 3_000 })]);
      expect(project.reader.thread(idOf(1))).toMatchObject({ status: 'running', cost, updatedAt: 3_000 });
      project.store.commit([step(1, 0, { status: { to: 'suspended', reason: 'user' } })]);
      expect(project.reader.thread(idOf(1))).toMatchObject({ status: 'suspended', suspendReason: 'user', cost });
      project.store.commit([step(1, 0, { status: { to: 'running' } })]);
      expect(project.reader.thread(idOf(1))).toMatchObject({ status: 'running', suspendReason: undefined });
    });

    test.each([
      ['a gap in the events', step(1, 3)],
      ['other events under numbers that are stored already', step(1, 1, { lines: lines(1, 1, 'other') })],
      ['events that end before they begin', step(1, 2, { lastSequence: 1 })],
      ['a negative cost', step(1, 2, { settle: { reserved: 0, actual: -1 } })],
      ['a broken reservation', step(1, 2, { reserve: Number.NaN })],
    ])('%s: the step fails as a whole', (_, op) => {
      using project = begin();
      project.store.commit([step(1, 1)]);
      const bad: StepOp = { ...op, status: { to: 'running' }, checkpoint: { turn: 1, state: '{}' } };
      expect(project.store.commit([bad])).toEqual([failedWith('invalid_argument')]);
      expect(sequences(project.reader)).toEqual([1]);
      expect(project.reader.threadByNo(1)).toMatchObject({ status: 'created' });
      expect(project.reader.ledger(1)).toMatchObject({ committed: 0 });
      expect(project.store.commit([step(1, 2)])).toEqual([true]);
    });

    test('of a thread that does not exist fails', () => {
      using project = begin();
      expect(project.store.commit([step(7, 1)])).toEqual([failedWith('thread_not_found')]);
    });
  });

  describe(`${name}: money`, () => {
    test('a reservation that does not fit is refused and the rest of the step applied', () => {
      using project = begin();
      const results = project.store.commit([step(1, 1, { reserve: 400 }), step(1, 2, { reserve: 601 })]);
      expect(results).toEqual([true, { type: 'refused', remaining: 600 }]);
      expect(project.reader.ledger(1)).toMatchObject({ reserved: 400, committed: 400 });
      expect(sequences(project.reader)).toEqual([1, 2]);
    });

    test('a settlement makes room for the reservation of the same step', () => {
      using project = begin();
      project.store.commit([step(1, 1, { reserve: 1_000 })]);
      const results = project.store.commit([step(1, 2, { settle: { reserved: 1_000, actual: 100 }, reserve: 900 })]);
      expect(results).toEqual([true]);
      expect(project.reader.ledger(1)).toMatchObject({ reserved: 900, actual: 100, committed: 1_000 });
    });

    test('spend reaches every ancestor, and committed grows only where a ceiling is exceeded', () => {
      using project = begin();
      project.store.commit([admit(2, { parent: 1, ceiling: 500 }), admit(3, { parent: 2, ceiling: 100 })]);
      project.store.commit([step(3, 1, { settle: { reserved: 0, actual: 130 } })]);
      expect(project.reader.ledger(3)).toMatchObject({ actual: 130, committed: 130 });
      expect(project.reader.ledger(2)).toMatchObject({ actual: 130, committed: 130 });
      expect(project.reader.ledger(1)).toMatchObject({ actual: 130, committed: 500 });
    });

    test('a terminal status releases reservations here and at the parent', () => {
      using project = begin();
      project.store.commit([admit(2, { parent: 1, ceiling: 500 }), step(2, 1, { reserve: 300 })]);
      project.store.commit([step(2, 2, { settle: { reserved: 100, actual: 40 }, status: END })]);
      expect(project.reader.ledger(2)).toMatchObject({ reserved: 0, actual: 40, committed: 40, status: 'released' });
      expect(project.reader.ledger(1)).toMatchObject({ actual: 40, committed: 40, status: 'active' });
    });

    test('a child that outlives its parent still spends at every ancestor', () => {
      using project = begin();
      project.store.commit([admit(2, { parent: 1, ceiling: 500 }), admit(3, { parent: 2, ceiling: 100 })]);
      project.store.commit([step(2, 1, { status: END })]);
      project.store.commit([step(3, 1, { settle: { reserved: 0, actual: 60 } }), step(3, 2, { status: END })]);
      expect(project.reader.ledger(2)).toMatchObject({ actual: 60, committed: 60 });
      expect(project.reader.ledger(1)).toMatchObject({ actual: 60, committed: 60 });
    });

    test('a suspended thread keeps its ceiling at its parent', () => {
      using project = begin();
      project.store.commit([admit(2, { parent: 1, ceiling: 500 })]);
      project.store.commit([step(2, 1, { status: { to: 'suspended', reason: 'approval' } })]);
      expect(project.reader.ledger(1)).toMatchObject({ committed: 500 });
    });
  });

  describe(`${name}: endings`, () => {
    test.each(['completed', 'error', 'cancelled', 'continued'] satisfies TerminalStatus[])(
      'nothing follows %s, in the same commit or a later one',
      (status) => {
        using project = begin();
        const end = step(1, 1, { status: { to: status, ending: '{"n":1}' }, at: 5_000 });
        const again = step(1, 2, { status: { to: 'completed', ending: '{"n":2}' } });
        const child = admit(2, { parent: 1 });
        const ended = failedWith('thread_ended');
        expect(project.store.commit([end, again, child])).toEqual([true, ended, ended]);
        expect(project.store.commit([again, child])).toEqual([ended, ended]);
        expect(project.reader.threadByNo(1)).toMatchObject({ status, ending: '{"n":1}', updatedAt: 5_000 });
        expect(sequences(project.reader)).toEqual([1]);
      },
    );
  });

  describe(`${name}: loading`, () => {
    test('reads back everything a thread needs to go on, writes of the same commit included', () => {
      using project = begin();
      const spec = '{"inputs":{"a":1}}';
      const [, , , loaded] = project.store.commit([
        admit(2, { spec }),
        step(2, 1, { checkpoint: { turn: 1, state: 'one' } }),
        step(2, 2, { checkpoint: { turn: 2, state: 'two' }, status: { to: 'suspended', reason: 'limit' } }),
        { type: 'load', thread: 2 },
      ]);
      expect(loaded).toMatchObject({
        type: 'loaded',
        thread: {
          row: { thread: 2, status: 'suspended', suspendReason: 'limit' },
          spec,
          checkpoint: { sequence: 2, turn: 2, state: 'two' },
          lines: lines(1, 2),
          lastSequence: 2,
        },
      });
    });

    test('a thread without checkpoint or events has neither', () => {
      using project = begin();
      const [loaded] = project.store.commit([{ type: 'load', thread: 1 }]);
      expect(loaded).toMatchObject({ thread: { checkpoint: undefined, lines: '', lastSequence: 0, children: [] } });
    });

    test('tells of the children of a thread if it is asked, those that have ended, too', () => {
      using project = begin();
      const cost = { turns: 1, inputTokens: 2, outputTokens: 3, spend: 4 };
      const [, , , , loaded] = project.store.commit([
        admit(2, { parent: 1, ceiling: 10 }),
        admit(3, { parent: 1, ceiling: 10, directive: 'demo/other' }),
        admit(4, { parent: 2, ceiling: 1 }),
        step(3, 1, { cost, status: END }),
        { type: 'load', thread: 1, withChildren: true },
      ]);
      const none = { turns: 0, inputTokens: 0, outputTokens: 0, spend: 0 };
      expect(loaded).toMatchObject({
        thread: {
          children: [
            { threadId: idOf(2), directive: 'demo/task', status: 'created', cost: none },
            { threadId: idOf(3), directive: 'demo/other', status: 'completed', cost },
          ],
        },
      });
    });

    test('tells of a child how many hooks led to it', () => {
      using project = begin();
      const [, , , loaded] = project.store.commit([
        admit(2, { parent: 1, ceiling: 10, spec: '{"inputs":{"hookDepth":7},"hookDepth":2}' }),
        admit(3, { parent: 1, ceiling: 10, spec: '{"inputs":{"hookDepth":7}}' }),
        admit(4, { parent: 1, ceiling: 10 }),
        { type: 'load', thread: 1, withChildren: true },
      ]);
      const children = loaded !== true && loaded?.type === 'loaded' ? loaded.thread.children : [];
      expect(children.map(({ hookDepth }) => hookDepth)).toEqual([2, undefined, undefined]);
    });

    test('gives of a log the events about children alone if only they are asked for', () => {
      using project = begin();
      const told = { child_thread_id: idOf(2), child_directive: 'demo/task', parent_thread_id: idOf(1) };
      const started = encodeEvent({ sequence: 3, event_type: 'child_thread_started', time: 1, payload: told });
      const quoting = lines(5, 5, '"event_type":"child_thread_started"');
      const [, , , , loaded] = project.store.commit([
        admit(2, { parent: 1, ceiling: 10 }),
        step(1, 1, { lines: lines(1, 2) + started + lines(4, 4), lastSequence: 4 }),
        step(1, 5, { lines: quoting }),
        step(1, 6),
        { type: 'load', thread: 1, withChildren: 'only' },
      ]);
      const children = [expect.objectContaining({ threadId: idOf(2) })];
      expect(loaded).toMatchObject({ thread: { row: { thread: 1 }, lines: started, lastSequence: 6, children } });
    });

    test('a thread that is not there fails', () => {
      using project = begin();
      expect(project.store.commit([{ type: 'load', thread: 5 }])).toEqual([failedWith('thread_not_found')]);
    });

    test('a checkpoint belongs to the last event of its step, or the last one before it', () => {
      using project = begin();
      project.store.commit([step(1, 1), step(1, 0, { checkpoint: { turn: 1, state: 's' } }), step(1, 2)]);
      const [loaded] = project.store.commit([{ type: 'load', thread: 1 }]);
      expect(loaded).toMatchObject({ thread: { checkpoint: { sequence: 1 }, lastSequence: 2 } });
    });
  });

  describe(`${name}: opening again`, () => {
    test('numbers go on after the highest thread', () => {
      using harness = create();
      const first = harness.open();
      expect(first.opened).toEqual({ nextThread: 1, suspendedOrphans: 0 });
      first.commit([admit(1), admit(7), step(1, 1, { status: END }), step(7, 1, { status: END })]);
      first.close();
      const second = harness.open();
      expect(second.opened).toEqual({ nextThread: 8, suspendedOrphans: 0 });
      second.close();
    });

    test('what was suspended goes on where it stopped, money included', () => {
      using harness = create();
      const first = harness.open();
      first.commit([admit(1), admit(2, { parent: 1, ceiling: 300 })]);
      const suspended = { to: 'suspended', reason: 'user' } as const;
      first.commit([step(2, 1, { settle: { reserved: 0, actual: 100 }, status: suspended })]);
      first.commit([step(1, 1, { status: suspended })]);
      first.close();
      const second = harness.open();
      const running = { to: 'running' } as const;
      expect(second.commit([step(2, 2, { status: running, reserve: 201 }), step(2, 3, { reserve: 200 })])).toEqual([
        { type: 'refused', remaining: 200 },
        true,
      ]);
      second.commit([step(2, 4, { settle: { reserved: 200, actual: 250 }, status: END })]);
      second.close();
      const reader = harness.read();
      expect(reader.ledger(1)).toMatchObject({ actual: 350, committed: 350 });
      expect(sequences(reader, 2)).toEqual([1, 2, 3, 4]);
      reader.close();
    });

    test('what a dead runtime left running is suspended, and what its calls in flight have reserved is kept, as are ceilings', () => {
      using harness = create();
      const first = harness.open();
      const running = { to: 'running' } as const;
      first.commit([admit(1), step(1, 1, { status: running, reserve: 50 })]);
      first.commit([admit(2, { parent: 1, ceiling: 400 }), step(2, 1, { status: running, reserve: 90 })]);
      first.commit([step(2, 2, { settle: { reserved: 30, actual: 70 } })]);
      first.commit([admit(3, { parent: 1, ceiling: 200 })]);
      first.commit([admit(4, { parent: 1, ceiling: 100 }), step(4, 1, { status: END })]);
      first.commit([admit(5, { parent: 1, ceiling: 10 })]);
      first.commit([step(5, 1, { status: { to: 'suspended', reason: 'approval' } })]);
      first.close();

      const second = harness.open();
      expect(second.opened).toEqual({ nextThread: 6, suspendedOrphans: 3 });
      const reader = harness.read();
      expect([1, 2, 3, 4, 5].map((thread) => statusOf(reader, thread))).toEqual([
        'suspended shutdown',
        'suspended shutdown',
        'suspended shutdown',
        'completed',
        'suspended approval',
      ]);
      expect(reader.ledger(1)).toMatchObject({ reserved: 50, actual: 70, committed: 660 });
      expect(reader.ledger(2)).toMatchObject({ reserved: 60, actual: 70, committed: 130 });
      expect(reader.ledger(3)).toMatchObject({ reserved: 0, actual: 0, committed: 0, status: 'active' });
      const events = decodeEvents(reader.events(2).join(''));
      expect(events.map(({ sequence, event_type }) => `${sequence} ${event_type}`)).toEqual([
        '1 warning',
        '2 warning',
        '3 thread_suspended',
      ]);
      expect(events[2]?.payload).toMatchObject({ suspend_reason: 'shutdown' });
      expect(sequences(reader, 3)).toEqual([1]);
      expect(sequences(reader, 4)).toEqual([1]);
      reader.close();
      second.close();
      expect(reopenedOrphans(harness)).toBe(0);
    });
  });

  describe(`${name}: queries`, () => {
    function family(): ReturnType<typeof begin> {
      const project = begin();
      project.store.commit([
        admit(2, { parent: 1, ceiling: 1, directive: 'demo/child' }),
        admit(3, { parent: 2, ceiling: 1, directive: 'demo/child' }),
        admit(4),
        step(4, 1, { status: END }),
        step(3, 1, { status: { to: 'suspended', reason: 'user' } }),
      ]);
      return project;
    }

    test.each([
      ['everything, newest first', {}, [4, 3, 2, 1]],
      ['at most', { limit: 2 }, [4, 3]],
      ['none', { limit: 0 }, []],
      ['of a status', { status: ['completed'] as const }, [4]],
      ['of several statuses', { status: ['completed', 'suspended'] as const }, [4, 3]],
      ['of no status', { status: [] }, []],
      ['of a parent', { parent: 1 }, [2]],
      ['of a directive', { directive: 'demo/child' }, [3, 2]],
      ['of a directive with SQL in it', { directive: "' OR 1=1 --" }, []],
      ['of several at once', { parent: 1, directive: 'demo/child', status: ['created'] as const }, [2]],
    ])('lists %s', (_, filter, expected) => {
      using project = family();
      expect(project.reader.threads(filter).map(({ thread }) => thread)).toEqual(expected);
    });

    test('what is not there is undefined, or empty', () => {
      using project = begin();
      expect(project.reader.thread(idOf(5))).toBeUndefined();
      expect(project.reader.threadByNo(5)).toBeUndefined();
      expect(project.reader.ledger(5)).toBeUndefined();
      expect(project.reader.events(5)).toEqual([]);
    });

    test.each([-1, 0.5, Number.NaN])('a limit of %s is refused', (limit) => {
      using project = begin();
      expect(() => project.reader.threads({ limit })).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
    });
  });
}

function failedWith(code: string, detail?: Record<string, unknown>): StoreResult {
  return expect.objectContaining({
    type: 'failed',
    failure: expect.objectContaining({ code, ...(detail && { detail }) }),
  });
}

function sequences(reader: StoreReader, thread = 1): number[] {
  return decodeEvents(reader.events(thread).join('')).map(({ sequence }) => sequence);
}

function statusOf(reader: StoreReader, thread: number): string {
  const row = reader.threadByNo(thread);
  return [row?.status, row?.suspendReason].filter(Boolean).join(' ');
}

function reopenedOrphans(harness: StoreHarness): number {
  const store = harness.open();
  store.close();
  return store.opened.suspendedOrphans;
}
