import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { admit, END, idOf, scratchStore, step, type ScratchStore } from '../../test/conformance/store-fixture.ts';
import { createHandTicks } from '../../test/fixtures/hand-port.ts';
import type { Failure } from '../core/errors.ts';
import { openWriter, type Connection } from './connection.ts';
import { createStateFiles, type StateFiles } from './state-files.ts';

describe('Files that a kill has left behind their rows', () => {
  const THREADS = 120;
  const NUMBERS = Array.from({ length: THREADS }, (_, index) => index + 1);
  let it: ScratchStore;
  let db: Connection;
  const problems: Failure[] = [];
  const ticks = createHandTicks();
  const folder = (): string => dirname(it.path);
  const fileOf = (thread: number): string => join(folder(), idOf(thread), 'state.json');
  const statusIn = (thread: number): unknown => JSON.parse(readFileSync(fileOf(thread), 'utf8')).status;
  const create = (): StateFiles =>
    createStateFiles({ db, folder: folder(), schedule: ticks.schedule, problem: (failure) => problems.push(failure) });

  beforeEach(() => {
    problems.length = 0;
    it = scratchStore();
    db = openWriter(it.path);
    const begins = NUMBERS.flatMap((thread) => [admit(thread), step(thread, 0, { status: { to: 'running' } })]);
    const before = create();
    before.note(begins, it.store.commit(begins));
    before.close();
    ticks.endAll();
  });
  afterEach(() => {
    db.close();
    it[Symbol.dispose]();
  });

  test('are brought into line by the next store, and no others are written', () => {
    // Killed: one has ended, and another one has come and gone, without a word in any file.
    it.store.commit([step(100, 1, { at: 2_001, status: END })]);
    it.store.commit([admit(THREADS + 1), step(THREADS + 1, 1, { status: END })]);
    const { mtime } = statSync(fileOf(1));
    writeFileSync(fileOf(1), 'not written again');
    utimesSync(fileOf(1), mtime, mtime);
    const next = create();
    next.takeOver();
    ticks.endAll();
    expect([100, THREADS + 1].map(statusIn)).toEqual(['completed', 'completed']);
    expect(readFileSync(fileOf(1), 'utf8')).toBe('not written again');
    next.close();
    expect(problems).toEqual([]);
  });

  test('are brought into line also if one among them can not be looked at', () => {
    it.store.commit(NUMBERS.map((thread) => step(thread, 1, { at: 2_001, status: END })));
    rmSync(fileOf(50));
    symlinkSync('state.json', fileOf(50));
    const next = create();
    next.takeOver();
    ticks.endAll();
    next.close();
    expect(new Set(NUMBERS.map(statusIn))).toEqual(new Set(['completed']));
    expect(problems).toEqual([]);
  });

  test('are told once if none of them can be written', () => {
    it.store.commit(NUMBERS.map((thread) => step(thread, 1, { at: 2_001, status: END })));
    for (const thread of NUMBERS) mkdirSync(`${fileOf(thread)}.tmp`);
    const next = create();
    next.takeOver();
    ticks.endAll();
    next.close();
    expect(problems).toMatchObject([{ code: 'project_unwritable' }]);
  });

  test('are not waited for by a store that closes', () => {
    const younger = Array.from({ length: THREADS }, (_, index) => THREADS + 1 + index);
    it.store.commit(younger.flatMap((thread) => [admit(thread), step(thread, 1, { status: END })]));
    const next = create();
    next.takeOver();
    while (!existsSync(fileOf(THREADS + 1))) ticks.end();
    next.note([step(THREADS, 1, { status: END })], it.store.commit([step(THREADS, 1, { status: END })]));
    next.close();
    expect(statusIn(THREADS)).toBe('completed');
    expect(younger.filter((thread) => existsSync(fileOf(thread)))).toEqual([THREADS + 1]);
  });
});
