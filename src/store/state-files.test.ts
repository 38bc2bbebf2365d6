import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  admit,
  END,
  idOf,
  scratchStore,
  shippedTables,
  step,
  type ScratchStore,
} from '../../test/conformance/store-fixture.ts';
import { createHandTicks } from '../../test/fixtures/hand-port.ts';
import type { Failure } from '../core/errors.ts';
import type { StoreOp } from '../core/store.ts';
import { collectGarbage } from './collect-garbage.ts';
import { openWriter } from './connection.ts';
import { createStateFiles } from './state-files.ts';

const COST = { turns: 2, inputTokens: 30, outputTokens: 4, spend: 1_500_000_000 };
const checkpoint = (turn: number) => ({ turn, state: JSON.stringify({ v: 1, turns: turn }) });

describe('The state.json of a thread', () => {
  let it: ScratchStore;
  const problems: Failure[] = [];
  const folder = (): string => dirname(it.path);
  const fileOf = (thread: number): string => join(folder(), idOf(thread), 'state.json');
  const read = (thread: number): unknown => JSON.parse(readFileSync(fileOf(thread), 'utf8'));

  beforeEach(() => {
    problems.length = 0;
    it = scratchStore({ persistence: { format: 'json' }, problem: (failure) => problems.push(failure) });
    it.store.commit([admit(1)]);
  });
  afterEach(() => it[Symbol.dispose]());

  test('says what the database says: registry, cost and checkpoint', () => {
    it.store.commit([step(1, 1, { status: { to: 'running' }, checkpoint: checkpoint(2), cost: COST })]);
    it.reopen();
    it.store.close();
    expect(read(1)).toEqual({
      thread_id: idOf(1),
      directive: 'demo/task',
      model: 'scripted',
      status: 'suspended',
      suspend_reason: 'shutdown',
      cost: { turns: 2, input_tokens: 30, output_tokens: 4, spend: 1.5 },
      updated_at: new Date(9_000).toISOString(),
      checkpoint: { sequence: 1, turn: 2, state: { v: 1, turns: 2 } },
    });
  });

  test('is there for its owner alone, and nothing beside it', () => {
    it.store.commit([step(1, 1, { checkpoint: checkpoint(1) })]);
    it.reopen();
    expect(readdirSync(dirname(fileOf(1)))).toEqual(['state.json']);
    expect(statSync(fileOf(1)).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(fileOf(1))).mode & 0o777).toBe(0o700);
  });

  test('is not made for what changes neither checkpoint nor status', () => {
    it.store.commit([step(1, 1)]);
    it.store.close();
    expect(existsSync(fileOf(1))).toBe(false);
  });

  test('says how the thread ended', () => {
    it.store.commit([step(1, 1, { checkpoint: checkpoint(1) }), step(1, 2, { status: END, cost: COST })]);
    it.reopen();
    expect(read(1)).toMatchObject({ status: 'completed', cost: { spend: 1.5 } });
  });

  test('of both is written where one takes over from another', () => {
    const end = step(1, 1, { status: { to: 'continued', ending: '{}' } });
    const { type: _, parent, ceiling, ...successor } = admit(2);
    it.store.commit([{ type: 'continue', end, successor: { ...successor, checkpoint: checkpoint(7), cost: COST } }]);
    it.reopen();
    expect([parent, ceiling]).toEqual([undefined, 1_000]);
    expect(read(1)).toMatchObject({ status: 'continued' });
    expect(read(2)).toMatchObject({ cost: { turns: 2 }, checkpoint: { turn: 7 } });
  });

  test('that a kill left half written is replaced', () => {
    mkdirSync(dirname(fileOf(1)));
    writeFileSync(`${fileOf(1)}.tmp`, '{"thread_id": "thr'.repeat(1_000));
    it.store.commit([step(1, 1, { checkpoint: checkpoint(1) })]);
    it.reopen();
    expect(read(1)).toMatchObject({ checkpoint: { turn: 1 } });
  });

  test('that can not be written is told once, and the store goes on', () => {
    writeFileSync(dirname(fileOf(1)), 'a file where the folder would be');
    it.store.commit([admit(2), step(1, 1, { checkpoint: checkpoint(1) })]);
    writeFileSync(dirname(fileOf(2)), 'another');
    it.store.commit([step(2, 1, { checkpoint: checkpoint(1) })]);
    it.store.close();
    expect(problems).toEqual([expect.objectContaining({ code: 'project_unwritable' })]);
    it.reopen();
    expect(it.query('SELECT turn FROM checkpoints')).toHaveLength(2);
  });

  test('goes where the thread goes to the archive', () => {
    let now = 0;
    const cleanup = { archiveAfterDays: 30, vacuumIntervalDays: 0 };
    using old = scratchStore({ persistence: { format: 'json' }, cleanup, now: () => now });
    old.store.commit([admit(1, { at: 0 }), step(1, 1, { at: 0, status: END })]);
    old.reopen();
    const file = join(dirname(old.path), idOf(1), 'state.json');
    expect(existsSync(file)).toBe(true);
    now = 31 * 86_400_000;
    for (let more = true; more;) more = old.store.tidy?.() ?? false;
    expect(old.query('SELECT thread FROM threads')).toEqual([]);
    expect(existsSync(dirname(file))).toBe(false);
  });

  // A database may come with a project from anywhere.
  test('of a thread whose id is a way out of its folder is told: nothing outside is written, or goes with it to the archive', async () => {
    using old = scratchStore({ persistence: { format: 'json' }, problem: (failure) => problems.push(failure) });
    const precious = join(dirname(old.path), '..', 'precious');
    mkdirSync(precious);
    old.store.commit([admit(1), admit(2, { at: 0 }), admit(3, { at: 0 })]);
    old.store.close();
    const db = openWriter(old.path);
    const rename = db.prepare('UPDATE threads SET thread_id = ? WHERE thread = ?');
    ['../../precious', '..'].forEach((id, index) => rename.run(id, index + 1));
    db.close();
    old.reopen();
    old.store.commit([1, 2, 3].map((thread) => step(thread, 2, { at: 0, status: END })));
    old.store.close();
    expect(readdirSync(precious)).toEqual([]);
    const other = join(dirname(old.path), idOf(3));
    expect(existsSync(other)).toBe(true);
    const { archived } = await collectGarbage({
      path: old.path,
      tables: shippedTables(),
      now: 31 * 86_400_000,
      archiveAfterDays: 30,
      problem: (failure) => problems.push(failure),
    });
    expect([archived, old.query('SELECT thread FROM threads'), existsSync(other)]).toEqual([3, [], false]);
    expect(readdirSync(join(precious, '..')).toSorted()).toEqual(['precious', 'threads']);
    expect(new Set(problems.map(({ code }) => code))).toEqual(new Set(['store_corrupt']));
  });

  test('is not there where states are kept in the database alone', () => {
    using plain = scratchStore();
    plain.store.commit([admit(1), step(1, 1, { checkpoint: checkpoint(1) })]);
    plain.store.close();
    expect(readdirSync(dirname(plain.path)).filter((name) => name.startsWith('thread-'))).toEqual([]);
  });
});

test('Folders are followed of threads that have not ended, and of those that have handed over to one', () => {
  using it = scratchStore();
  const ticks = createHandTicks();
  const db = openWriter(it.path);
  const folder = dirname(it.path);
  const followed = new Set<string>();
  const cancels = {
    follow: (id: string) => void followed.add(id),
    leave: (id: string) => void followed.delete(id),
    close: () => followed.clear(),
  };
  const create = () =>
    createStateFiles({
      db,
      folder,
      schedule: ticks.schedule,
      problem: (failure) => expect(failure).toBe(undefined),
      cancels,
    });
  const files = create();
  const follows = (...ops: StoreOp[]): string[] => {
    files.note(ops, it.store.commit(ops));
    ticks.endAll();
    return [...followed].toSorted();
  };
  const handsOver = (from: number, to: number): StoreOp => {
    const { type: _, parent: __, ceiling: ___, ...successor } = admit(to);
    return { type: 'continue', end: step(from, 1, { status: { to: 'continued', ending: '{}' } }), successor };
  };
  const runs = (thread: number) => step(thread, 0, { status: { to: 'running' } });
  expect(follows(admit(1), runs(1), handsOver(1, 2))).toEqual([idOf(1), idOf(2)]);
  expect(follows(handsOver(2, 3))).toEqual([idOf(1), idOf(2), idOf(3)]);
  expect(follows(step(3, 1, { status: { to: 'suspended', reason: 'user' } }))).toHaveLength(3);

  // The next runtime; a thread may be older than the first file.
  followed.clear();
  rmSync(join(folder, idOf(2)), { recursive: true });
  const next = create();
  next.takeOver();
  expect([...followed].toSorted()).toEqual([idOf(1), idOf(3)]);
  // A kill came before the file of the one that goes on.
  followed.clear();
  rmSync(join(folder, idOf(3)), { recursive: true });
  next.takeOver();
  expect([...followed]).toEqual([idOf(1)]);
  expect(follows(step(3, 1, { status: { to: 'suspended', reason: 'limit' } }))).toEqual([idOf(1), idOf(2), idOf(3)]);
  expect(follows(step(3, 2, { status: END }))).toEqual([]);
  // Whoever goes on with one that has ended is another matter.
  expect(follows(admit(4, { predecessor: 3 }), runs(4))).toEqual([idOf(4)]);
  followed.clear();
  next.takeOver();
  expect([...followed]).toEqual([idOf(4)]);
  db.close();
});

test('Files are written after the commit, one a tick, and several checkpoints of a thread are one file', () => {
  using it = scratchStore();
  it.store.commit([admit(1), admit(2)]);
  const ticks = createHandTicks();
  const db = openWriter(it.path);
  const folder = dirname(it.path);
  const files = createStateFiles({
    db,
    folder,
    schedule: ticks.schedule,
    problem: (failure) => expect(failure).toBe(undefined),
  });
  const commit = (op: StoreOp): void => files.note([op], it.store.commit([op]));
  const there = (): string[] => readdirSync(folder).filter((name) => name.startsWith('thread-'));
  commit(step(1, 1, { checkpoint: checkpoint(1) }));
  commit(step(1, 2, { checkpoint: checkpoint(2) }));
  commit(step(2, 1, { checkpoint: checkpoint(1) }));
  expect(there()).toEqual([]);
  ticks.end();
  expect(there()).toEqual([idOf(1)]);
  expect(readFileSync(join(folder, idOf(1), 'state.json'), 'utf8')).toContain('"turn": 2');
  ticks.end();
  expect(there()).toEqual([idOf(1), idOf(2)]);
  rmSync(join(folder, idOf(1)), { recursive: true });
  ticks.endAll();
  files.close();
  expect(there()).toEqual([idOf(2)]);
  db.close();
});
