import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeBelow } from '../../../test/fixtures/write-below.ts';
import { encodeEvent, type EventPayloads, type EventType } from '../../core/events.ts';
import type { Finding } from '../../core/finding.ts';
import { INTERRUPTED } from '../../core/interruption.ts';
import { admit, idOf, scratchStore, step, type ScratchStore } from '../../../test/conformance/store-fixture.ts';
import type { StepOp } from '../../core/store.ts';
import { openReadOnly } from '../connection.ts';
import { checkDatabase, type DatabaseCheck } from './check-database.ts';
import { checkStore, repairStore } from './check-store.ts';

const EDGES: ReadonlySet<string> = new Set(['created>running', 'running>completed', 'running>suspended']);
const COST = { turns: 0, input_tokens: 0, output_tokens: 0, spend: 0 };
const END_COST = { turns: 0, inputTokens: 0, outputTokens: 0, spend: 0 };
const ENDING = JSON.stringify({ status: 'completed', text: '', cost: END_COST });

let scratch: ScratchStore;
beforeEach(() => {
  scratch = scratchStore();
});
afterEach(() => scratch[Symbol.dispose]());

function event<Type extends EventType>(sequence: number, event_type: Type, payload: EventPayloads[Type]): string {
  return encodeEvent({ sequence, event_type, time: 1, payload });
}

const started = (sequence: number): string =>
  event(sequence, 'thread_started', { directive: 'd', model: 'm', limits: {} });
const running = (thread: number, overrides: Partial<StepOp> = {}): StepOp =>
  step(thread, 1, { lines: started(1), status: { to: 'running' }, ...overrides });
const completed = (thread: number, sequence: number): StepOp =>
  step(thread, sequence, {
    lines: event(sequence, 'thread_completed', { cost: COST }),
    status: { to: 'completed', ending: ENDING },
  });

/** A call for which 100 nano-USD were reserved costs 1,500. */
function overspending(thread: number): StepOp {
  const overspend = event(2, 'budget_overspend', { reserved: 0.0000001, actual: 0.0000015 });
  const usage = event(3, 'usage', {
    input_tokens: 0,
    output_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    spend: 0.0000015,
    interrupted: true,
  });
  const cost = { turns: 0, inputTokens: 0, outputTokens: 0, spend: 1_500 };
  return step(thread, 2, {
    lines: overspend + usage,
    lastSequence: 3,
    settle: { reserved: 100, actual: 1_500 },
    cost,
  });
}

function commit(...ops: readonly Parameters<ScratchStore['store']['commit']>[0][number][]): void {
  expect(scratch.store.commit(ops)).toEqual(ops.map(() => true));
}

function check(more: Partial<DatabaseCheck> = {}): Finding[] {
  const db = openReadOnly(scratch.path);
  try {
    return checkDatabase(db, { edges: EDGES, ...more });
  } finally {
    db.close();
  }
}

describe('A database that a store has written', () => {
  test('is clean with threads in every state, a reservation in flight and a successor', () => {
    commit(admit(1), running(1, { reserve: 100 }), admit(2, { parent: 1, ceiling: 200 }), running(2), admit(3));
    const end = step(2, 2, {
      lines: event(2, 'thread_continued', { successor: idOf(4), cost: COST }),
      status: { to: 'continued', ending: ENDING.replace('completed', 'continued') },
    });
    const { type: _, parent: __, ceiling: ___, ...successor } = admit(4, { root: 1 });
    const continued = [...EDGES, 'running>continued'];
    commit({ type: 'continue', end, successor });
    expect(check({ edges: new Set(continued) })).toEqual([]);
    expect(check()).toMatchObject([{ invariant: 'M1', threadId: idOf(2), sequence: 2 }]);
  });

  test('keeps what a call had reserved whose runtime or worker is gone, also in a repair, and that of no other call', () => {
    const suspended = (message?: string): string =>
      event(2, 'thread_suspended', { suspend_reason: 'user', ...(message !== undefined && { message }) });
    const rest = (thread: number, message?: string): StepOp =>
      step(thread, 2, { lines: suspended(message), status: { to: 'suspended', reason: 'user' } });
    const reserving = [1, 2, 3].flatMap((thread) => [admit(thread), running(thread, { reserve: 100 })]);
    commit(...reserving, rest(2, INTERRUPTED.worker));
    // The first one is suspended by that.
    scratch.reopen();
    expect(check()).toMatchObject([]);
    damage("UPDATE events SET lines = replace(lines, 'ended without it', '') WHERE thread = 3");
    const found = check();
    expect(found).toMatchObject([{ invariant: 'B3', threadId: idOf(3) }]);
    scratch.store.close();
    const reserved = (): unknown => scratch.query('SELECT reserved_spend AS n FROM budget_ledger ORDER BY thread');
    damage('UPDATE budget_ledger SET committed = committed + 1');
    repairStore(scratch.path, checkStore(scratch.path, { edges: EDGES }), { edges: EDGES });
    expect([checkStore(scratch.path, { edges: EDGES }), reserved()]).toEqual([[], [{ n: 100 }, { n: 100 }, { n: 0 }]]);
    scratch.reopen();
  });

  test('has no time that is later than any number is exact, at which nobody takes it over', () => {
    commit(admit(1), running(1));
    damage('UPDATE threads SET updated_at = 1 << 60');
    expect(check()).toEqual([
      { invariant: 'rows', threadId: idOf(1), message: 'its number or its time is no whole number' },
    ]);
  });

  test.each([
    ['parent_thread', 'its parent, thread 1, is no older one'],
    ['predecessor', 'its predecessor, thread 1, is no older one'],
    ['successor', 'its successor, thread 1, is no later one'],
  ])('is above or before no thread that is older, as by its %s', (column, message) => {
    commit(admit(1), running(1, { reserve: 100 }));
    damage(`UPDATE threads SET ${column} = 1`);
    expect(check()).toContainEqual({ invariant: 'rows', threadId: idOf(1), message });
  });

  test('may be over its maximum where a call cost more than was reserved, and nowhere else', () => {
    commit(admit(1), running(1, { reserve: 100 }), overspending(1));
    expect(check()).toEqual([]);
    damage("UPDATE events SET lines = replace(lines, 'budget_overspend', 'warning')");
    expect(check()).toMatchObject([{ invariant: 'B1', threadId: idOf(1) }]);
  });

  test('holds what is reserved below a thread that overspent, also after a repair', () => {
    const below = admit(3, { parent: 2, root: 1, ceiling: 600 });
    const committed = (): unknown => scratch.query('SELECT committed AS n FROM budget_ledger ORDER BY thread');
    commit(admit(1, { ceiling: 3_000 }), running(1), admit(2, { parent: 1 }), running(2, { reserve: 100 }));
    commit(below, running(3), overspending(2));
    expect([check(), committed()]).toEqual([[], [{ n: 2_100 }, { n: 2_100 }, { n: 0 }]]);
    scratch.store.close();
    damage('UPDATE budget_ledger SET committed = 1500 WHERE thread < 3');
    repairStore(scratch.path, checkStore(scratch.path, { edges: EDGES }), { edges: EDGES });
    expect(committed()).toEqual([{ n: 2_100 }, { n: 2_100 }, { n: 0 }]);
    scratch.reopen();
  });

  test('has lost an event that was acknowledged if its log ends before that', () => {
    commit(admit(1), running(1));
    expect(check({ acknowledged: new Map([[idOf(1), 1]]) })).toEqual([]);
    const acknowledged = new Map([
      [idOf(1), 2],
      [idOf(7), 1],
    ]);
    expect(check({ acknowledged })).toMatchObject([
      { invariant: 'E1', threadId: idOf(1), sequence: 2 },
      { invariant: 'E1', threadId: idOf(7), sequence: 1 },
    ]);
  });

  test('tells as many findings of a kind as are asked for, and how many more there are', () => {
    commit(...[1, 2, 3, 4, 5].flatMap((thread) => [admit(thread), running(thread)]));
    damage('UPDATE threads SET turns = 3');
    expect(check({ limit: 2 })).toMatchObject([
      { invariant: 'E5', threadId: idOf(1) },
      { invariant: 'E5', threadId: idOf(2) },
      { invariant: 'E5', message: 'and 3 more of E5' },
    ]);
  });

  test.each([
    ['sk-', `sk-ant-${'x'.repeat(30)}`],
    ['github_pat_', `github_pat_${'1'.repeat(30)}`],
    ['glpat-', `glpat-${'x'.repeat(20)}`],
    ['ASIA', `ASIA${'X'.repeat(16)}`],
    ['Bearer', 'Bearer 0123456789abcdef'],
    ['-----BEGIN', '-----BEGIN RSA PRIVATE KEY-----'],
  ])('may hold nothing that the redactor knows as a key: %s…', (start, key) => {
    commit(admit(1, { spec: JSON.stringify({ inputs: { key } }) }), running(1));
    const message = `what looks like a key is in it: it begins with ${start}`;
    expect(checkStore(scratch.path, { edges: EDGES, secrets: new Map() }).map((found) => found.message)).toContainEqual(
      expect.stringContaining(message),
    );
  });

  test('may hold no given secret, also not in what was deleted, and it is never told what it says', () => {
    const secrets = new Map([['the value of APP_KEY', 'very-"quoted"-secret']]);
    commit(admit(1, { spec: JSON.stringify({ inputs: { key: 'very-"quoted"-secret' } }) }), running(1));
    damage("UPDATE threads SET spec = '{}'");
    const found = checkStore(scratch.path, { edges: EDGES, secrets });
    expect(new Set(found.map(({ invariant }) => invariant))).toEqual(new Set(['E6']));
    expect(JSON.stringify(found)).not.toContain('quoted');
  });
});

test.each([
  'archive.db.new',
  'archive.db.new-journal',
  'threads.db.new-wal',
  join(idOf(1), 'state.json'),
  join(idOf(1), 'state.json.tmp'),
])('A secret in %s is found: a kill may have left it', (name) => {
  commit(admit(1));
  const file = writeBelow(dirname(scratch.path), name, 'so very secret, and more');
  const found = checkStore(scratch.path, {
    edges: EDGES,
    secrets: new Map([['the value of APP_KEY', 'so very secret']]),
  });
  expect(found).toEqual([{ invariant: 'E6', message: `${file}: the value of APP_KEY is in it` }]);
});

describe('A look from the process that has the project', () => {
  const secrets = new Map([['the value of APP_KEY', 'so very secret']]);
  const where = (): string[] => checkStore(scratch.path, { edges: EDGES, secrets }).map(({ message }) => message);

  test('looks for secrets in its log, and in its file once nobody has it', () => {
    commit(admit(1, { spec: JSON.stringify({ inputs: { key: 'so very secret' } }) }));
    const file = `${scratch.path}: the value of APP_KEY is in it`;
    const log = file.replace('.db', '.db-wal');
    scratch.store.idle();
    expect(where()).toEqual([log]);
    scratch.store.close();
    expect(where()).toContain(file);
    // A process that was killed, and had the number that this one has now.
    writeFileSync(join(dirname(scratch.path), 'runtime.pid'), `${process.pid}\n`);
    expect(where()).toContain(file);
  });

  // The system drops them all when the process closes the file anywhere, and an older SQLite then takes its log away.
  test.runIf(process.platform === 'linux')('leaves it the locks that keep others from its log', () => {
    commit(admit(1));
    const before = locksOn(scratch.path);
    expect(before).not.toEqual([]);
    where();
    expect(locksOn(scratch.path)).toEqual(before);
  });
});

/** What this process has locked of a file. */
function locksOn(file: string): string[] {
  const mine = new RegExp(` ${process.pid} \\S+:${statSync(file).ino} `);
  const lines = readFileSync('/proc/locks', 'utf8').split('\n');
  return lines.filter((line) => mine.test(line)).map((line) => line.replace(/^\d+: /, ''));
}

test('A tree on its way to the archive is clean after every slice', () => {
  let now = 0;
  using other = scratchStore({ now: () => now, cleanup: { archiveAfterDays: 1, vacuumIntervalDays: 0 } });
  const [root, child, grandchild] = [1, 2, 3];
  const ops = [admit(root), admit(child, { parent: 1, ceiling: 500 }), admit(grandchild, { parent: 2, ceiling: 200 })];
  const events = Array.from({ length: 400 }, (_, index) => step(child, index + 2));
  const steps = [running(1), running(2), running(3), ...events, completed(3, 2), completed(2, 402), completed(1, 2)];
  expect(other.store.commit([...ops, ...steps]).filter((result) => result !== true)).toEqual([]);
  now = 5 * 86_400_000;
  let slices = 0;
  for (; other.store.tidy?.() && slices < 1_000; slices++) {
    expect(checkStore(other.path, { edges: EDGES })).toEqual([]);
  }
  expect(slices).toBeGreaterThan(3);
  expect(other.query('SELECT thread FROM threads')).toEqual([]);
});

describe('A thread on its way to the archive', () => {
  const CLEANUP = { archiveAfterDays: 1, vacuumIntervalDays: 0 };
  const [root, heir, rival] = [1, 2, 3];

  // After the last slice all of it is there.
  test.each([0, 1, 2, 3, 4, 5])('that is continued after %i slices has one successor, and all is clean', (slices) => {
    let now = 0;
    using other = scratchStore({ now: () => now, cleanup: CLEANUP });
    other.store.commit([admit(root), running(root), completed(root, 2)]);
    now = 5 * 86_400_000;
    const goOn = (thread: number) => admit(thread, { predecessor: root, at: now });
    for (let slice = 0; slice < slices; slice++) other.store.tidy?.();
    expect(other.store.commit([goOn(heir), goOn(rival), goOn(heir)])).toMatchObject([
      true,
      { type: 'failed', failure: { code: 'invalid_argument', message: expect.stringContaining('has a successor') } },
      true,
    ]);
    expect(checkStore(other.path, { edges: EDGES })).toEqual([]);
    while (other.store.tidy?.()) expect(checkStore(other.path, { edges: EDGES })).toEqual([]);
    expect(other.reader.chain(root).map(({ thread }) => thread)).toEqual([root, heir]);
    expect(other.store.commit([goOn(rival)])).toMatchObject([{ type: 'failed' }]);
  });

  test('that is there has one successor also when that is there, too, and another one is found', () => {
    let now = 0;
    using other = scratchStore({ now: () => now, cleanup: CLEANUP });
    const tidy = (): void => {
      now += 5 * 86_400_000;
      while (other.store.tidy?.());
    };
    other.store.commit([admit(root), running(root), completed(root, 2)]);
    tidy();
    other.store.commit([admit(heir, { predecessor: root }), running(heir), completed(heir, 2)]);
    tidy();
    expect(other.query('SELECT thread FROM threads')).toEqual([]);
    expect(checkStore(other.path, { edges: EDGES })).toEqual([]);
    expect(other.store.commit([admit(rival, { predecessor: root })])).toMatchObject([{ type: 'failed' }]);
    other.store.commit([admit(rival)]);
    const db = new Database(other.path);
    db.exec(`UPDATE threads SET predecessor = ${root} WHERE thread = ${rival}`);
    db.close();
    expect(checkStore(other.path, { edges: EDGES })).toMatchObject([
      { invariant: 'rows', threadId: idOf(rival), message: expect.stringContaining(`is continued by thread ${heir}`) },
    ]);
  });
});

test('An index that lacks entries is found, and made anew by a repair', () => {
  commit(admit(1), running(1), admit(2, { parent: 1, ceiling: 10 }), running(2), completed(2, 2));
  scratch.store.close();
  const hidden = withoutIndex(
    'idx_threads_parent',
    'UPDATE threads SET parent_thread = NULL, root_thread = 2 WHERE thread = 2',
  );
  expect(hidden.filter(({ invariant }) => invariant === 'file').length).toBeGreaterThan(0);
  const repairs = repairStore(scratch.path, hidden, { edges: EDGES });
  expect(repairs).toContainEqual({ message: 'the indexes were made anew' });
  expect(checkStore(scratch.path, { edges: EDGES }).filter(({ invariant }) => invariant === 'file')).toEqual([]);
  scratch.reopen();
});

/** Changes rows while an index is not there, and puts it back as it was. */
function withoutIndex(name: string, sql: string): Finding[] {
  const first = new Database(scratch.path).unsafeMode();
  const index = first.prepare<[string], { tbl_name: string; rootpage: number; sql: string }>(
    'SELECT tbl_name, rootpage, sql FROM sqlite_schema WHERE name = ?',
  );
  const row = index.get(name);
  first.pragma('writable_schema = ON');
  first.prepare('DELETE FROM sqlite_schema WHERE name = ?').run(name);
  first.close();
  const second = new Database(scratch.path).unsafeMode();
  second.exec(sql);
  second.pragma('writable_schema = ON');
  second
    .prepare('INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES (?, ?, ?, ?, ?)')
    .run('index', name, row?.tbl_name, row?.rootpage, row?.sql);
  second.close();
  return checkStore(scratch.path, { edges: EDGES });
}

function damage(sql: string): void {
  const db = new Database(scratch.path);
  db.exec(sql);
  db.close();
}
