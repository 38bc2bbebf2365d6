import { expect, test } from 'vitest';
import { admit, END, scratchStore, step, type ScratchStore } from '../../../test/conformance/store-fixture.ts';
import { encodeEvent } from '../../core/events.ts';
import type { ThreadNo } from '../../core/ids.ts';
import type { ContinueOp, LoadOp, StepOp, StoredThread, StoreOp, StoreResult } from '../../core/store.ts';
import { loadPredecessors } from './load-predecessors.ts';

/** Thread 1 has ended, 2 went on with it; 2 handed over to 3, and 3 to 4. What `begun` names has its first messages. */
function chain(...begun: readonly ThreadNo[]): ScratchStore {
  const project = scratchStore();
  const firstIf = (thread: ThreadNo): StepOp[] => (begun.includes(thread) ? [first(thread)] : []);
  const sequence = (thread: ThreadNo): number => firstIf(thread).length + 1;
  const results = project.store.commit([
    admit(1),
    ...firstIf(1),
    step(1, sequence(1), { status: END }),
    admit(2, { predecessor: 1 }),
    ...firstIf(2),
    handOver(2, 3, sequence(2)),
    ...firstIf(3),
    handOver(3, 4, sequence(3)),
    ...firstIf(4),
  ]);
  expect(results.filter((result) => result !== true)).toEqual([]);
  return project;
}

function handOver(from: ThreadNo, to: ThreadNo, sequence: number): ContinueOp {
  const { type: _, parent: __, ceiling: ___, predecessor: ____, ...successor } = admit(to, { root: to });
  return {
    type: 'continue',
    end: step(from, sequence, { status: { to: 'continued', ending: '{"status":"continued"}' } }),
    successor,
  };
}

function first(thread: ThreadNo): StepOp {
  const said = { sequence: 1, event_type: 'cognition_in', time: 1, payload: { text: 'go', role: 'user' } };
  return step(thread, 1, { lines: encodeEvent(said) });
}

type Asked = readonly [ThreadNo, LoadOp['withChildren']];

/** The numbers of those that are read for a thread, and with or without their children, or these alone. */
function read(project: ScratchStore, thread: ThreadNo, hasChildren: boolean): Asked[] {
  const asked: Asked[] = [];
  const submit = (op: StoreOp, done: (result: StoreResult) => void): void => {
    if (op.type === 'load') asked.push([op.thread, op.withChildren]);
    const [result] = project.store.commit([op]);
    done(result ?? true);
  };
  const store = { submit, pending: () => 0, close: () => undefined };
  let found: readonly StoreResult[] | undefined;
  loadPredecessors(load(project, thread), { services: { store }, hasChildren }, (loaded) => (found = loaded));
  expect(found?.map(numberOf)).toEqual(asked.map(([no]) => no));
  return asked;
}

function load(project: ScratchStore, thread: ThreadNo): StoredThread {
  const [result] = project.store.commit([{ type: 'load', thread, withChildren: true }]);
  if (result === undefined || result === true || result.type !== 'loaded') throw new Error(JSON.stringify(result));
  return result.thread;
}

function numberOf(result: StoreResult): ThreadNo | undefined {
  return result !== true && result.type === 'loaded' ? result.thread.row.thread : undefined;
}

test.each<[string, readonly ThreadNo[], ThreadNo, boolean, readonly Asked[]]>([
  ['nothing for a thread that continues none', [], 1, true, []],
  ['the last one for a thread that has not begun', [3], 4, false, [[3, false]]],
  [
    'all up to the one that has begun for a thread that has not',
    [2],
    4,
    false,
    [
      [3, false],
      [2, false],
    ],
  ],
  ['nothing for one that has begun and has no children', [4], 4, false, []],
  [
    'what is about children of all that handed over up to the one that they went on from, where there may be some',
    [4],
    4,
    true,
    [
      [3, 'only'],
      [2, 'only'],
      [1, 'only'],
    ],
  ],
  [
    'the one that has begun as a whole for a thread that has not, and what is about children of those before',
    [2, 3],
    4,
    true,
    [
      [3, true],
      [2, 'only'],
      [1, 'only'],
    ],
  ],
  ['one that has ended, and nobody before it', [1], 2, true, [[1, true]]],
])('There is read %s', (_, begun, thread, hasChildren, expected) => {
  using project = chain(...begun);
  expect(read(project, thread, hasChildren)).toEqual(expected);
});

test('One that can’t be read ends the reading, and is handed on as it is', () => {
  using project = chain();
  const failure = { type: 'failed', failure: { code: 'store_corrupt', message: 'damaged' } } as const;
  const store = {
    submit: (_op: StoreOp, done: (result: StoreResult) => void) => done(failure),
    pending: () => 0,
    close: () => undefined,
  };
  const found: StoreResult[] = [];
  loadPredecessors(load(project, 4), { services: { store }, hasChildren: true }, (all) => found.push(...all));
  expect(found).toEqual([failure]);
});
