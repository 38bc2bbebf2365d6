import { once } from 'node:events';
import { MessageChannel, Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { openStore, type OpenStoreOptions } from '../../src/store/open.ts';
import { admit, scratchFolder, shippedTables, step } from '../conformance/store-fixture.ts';
import type { LedgerCommand, LedgerSenderData } from '../fixtures/ledger-sender.ts';

const STORE = new URL('../../workers/store.worker.ts', import.meta.url);
const SENDER = new URL('../fixtures/ledger-sender.ts', import.meta.url);

const ROOT_CEILING = 20_000;
const COMMANDS_PER_SENDER = 720;
const RUNS = 6;

/** A store worker on a database; `kill` leaves it no time to finish anything. */
async function startStore(options: Omit<OpenStoreOptions, 'now'>) {
  const worker = new Worker(STORE, { workerData: options });
  const [first] = await once(worker, 'message');
  expect(first).toMatchObject({ type: 'opened' });
  return {
    port() {
      const { port1, port2 } = new MessageChannel();
      worker.postMessage({ type: 'port', port: port2 }, [port2]);
      return port1;
    },
    async kill() {
      await worker.terminate();
    },
    async close() {
      worker.postMessage({ type: 'close' });
      await once(worker, 'exit');
    },
  };
}

type RunningStore = Awaited<ReturnType<typeof startStore>>;
type SenderOptions = Omit<LedgerSenderData, 'port'>;

/** A sender in a thread of its own; `done` settles with the number of its operations, `until` when so many are answered. */
function startSender(store: RunningStore, options: SenderOptions) {
  const port = store.port();
  const worker = new Worker(SENDER, { workerData: { ...options, port }, transferList: [port] });
  const done = Promise.withResolvers<number>();
  // Whoever waits for something else hears of a failure there.
  done.promise.catch(() => undefined);
  let acked = 0;
  let wanted = Infinity;
  const reached = Promise.withResolvers<void>();
  worker.on('message', ({ type, count }: { readonly type: string; readonly count: number }) => {
    acked = count;
    if (type === 'done') done.resolve(count);
    if (acked >= wanted || type === 'done') reached.resolve();
  });
  worker.on('error', (error) => {
    done.reject(error);
    reached.reject(error);
  });
  return {
    done: done.promise,
    async until(count: number) {
      wanted = count;
      await reached.promise;
    },
    async stop() {
      await worker.terminate();
      return acked;
    },
  };
}

type Row = {
  readonly thread: number;
  readonly parent: number | null;
  readonly reserved: number;
  readonly extra: number;
  readonly actual: number;
  readonly committed: number;
  readonly max: number;
  readonly node: 'active' | 'suspended' | 'released';
  readonly thread_status: string;
  readonly spend: number;
  readonly held_by_entries: number;
};

const BOOKS = `SELECT l.thread, l.parent_thread AS parent, reserved_spend AS reserved, extra_reserved AS extra,
  actual_spend AS actual, committed, max_spend AS max, l.status AS node, t.status AS thread_status, t.spend,
  (SELECT COALESCE(SUM(open_amount), 0) FROM budget_entries e WHERE e.thread = l.thread) AS held_by_entries
  FROM budget_ledger l JOIN threads t USING (thread)`;

function read<Result>(path: string, sql: string): Result[] {
  const db = new Database(path, { readonly: true });
  try {
    return db.prepare<[], Result>(sql).all();
  } finally {
    db.close();
  }
}

const isEnded = ({ thread_status }: Row): boolean => ['completed', 'continued'].includes(thread_status);

/** What a parent holds for a node, as ADR 0016 defines it. */
function held({ node, max, actual, committed }: Row): number {
  return (node === 'active' ? Math.max(max, committed) : committed) - actual;
}

/** B1 to B4, and the definitions they rest on. */
function expectInvariants(path: string, { overspend }: { readonly overspend: boolean }): Map<number, number> {
  const rows = read<Row>(path, BOOKS);
  const below = Map.groupBy(rows, ({ parent }) => parent);
  for (const row of rows) {
    const children = below.get(row.thread) ?? [];
    const holds = children.reduce((sum, child) => sum + held(child), 0);
    expect(row.committed, `committed of ${row.thread}`).toBe(row.reserved + row.extra + row.actual + holds);
    expect(row.extra, `entries of ${row.thread}`).toBe(row.held_by_entries);
    expect(row.actual).toBeGreaterThanOrEqual(children.reduce((sum, child) => sum + child.actual, 0));
  }
  expect(rows.filter(({ committed, max }) => committed > max && !overspend)).toEqual([]); // B1
  expect(rows.filter((row) => isEnded(row) !== (row.node === 'released'))).toEqual([]); // B3
  expect(rows.filter((row) => isEnded(row) && row.reserved + row.extra > 0)).toEqual([]); // B3
  const reported = read<{ sum: number }>(path, REPORTED)[0]?.sum ?? 0;
  const charged = rows.reduce((sum, { spend }) => sum + spend, reported);
  expect(below.get(null)).toMatchObject([{ thread: 1, actual: charged }]); // B4
  return new Map(rows.map(({ thread, actual }) => [thread, actual]));
}

const REPORTED = "SELECT COALESCE(SUM(amount), 0) AS sum FROM budget_entries WHERE operation = 'report_actual'";

function expectNoneFell(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): void {
  const fallen = [...before].filter(([thread, actual]) => (after.get(thread) ?? -1) < actual);
  expect(fallen).toEqual([]); // B2
}

const command: fc.Arbitrary<LedgerCommand> = fc.record({
  kind: fc.constantFrom(
    ...(['admit', 'admit', 'reserve', 'reserve', 'reserve', 'settle', 'settle', 'settle'] as const),
    ...(['suspend', 'resume', 'resume', 'end', 'continue', 'hold', 'report', 'give_back', 'repeat', 'repeat'] as const),
  ),
  node: fc.nat(10_000),
  amount: fc.nat(400),
});

const run = fc.record({
  overspend: fc.boolean(),
  releaseSuspended: fc.boolean(),
  killAt: fc.integer({ min: 40, max: 400 }),
  commands: fc.array(fc.array(command, { minLength: COMMANDS_PER_SENDER, maxLength: COMMANDS_PER_SENDER }), {
    minLength: 4,
    maxLength: 4,
  }),
});

test(
  'B1 to B4 hold in SQLite, whatever two workers do to the store worker and wherever it is killed',
  { timeout: 300_000 },
  async () => {
    // Of those whose store is killed, and of the others.
    let [cut, whole, least] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(run, async ({ overspend, releaseSuspended, killAt, commands: [a, b, c, d] }) => {
        using scratch = scratchFolder();
        const options = { path: scratch.path, tables: shippedTables(), releaseSuspended };
        beginTree(options);
        const sender = (list: readonly LedgerCommand[] = [], firstThread = 0): SenderOptions => {
          return { commands: list, firstThread, overspend };
        };
        const first = await startStore(options);
        const pair = [startSender(first, sender(a, 1_000)), startSender(first, sender(b, 100_000))];
        await Promise.all(pair.map((each) => each.until(killAt)));
        const live = new Map(read<Row>(scratch.path, BOOKS).map(({ thread, actual }) => [thread, actual]));
        await first.kill();
        for (const each of pair) cut += await each.stop();
        least += 2 * killAt;
        const killed = expectInvariants(scratch.path, { overspend });
        expectNoneFell(live, killed);

        const reserved = reservedIn(scratch.path);
        const second = await startStore(options);
        // What calls in flight have reserved waits for them to be made again (docs/adr/0040-recovery-at-start.md).
        expect(reservedIn(scratch.path)).toEqual(reserved);
        const others = [startSender(second, sender(c, 200_000)), startSender(second, sender(d, 300_000))];
        for (const each of others) whole += await each.done;
        await second.close();
        expectNoneFell(killed, expectInvariants(scratch.path, { overspend }));
        endAll(options);
        expectInvariants(scratch.path, { overspend });
        expect(read<Row>(scratch.path, BOOKS).filter(({ committed, actual }) => committed !== actual)).toEqual([]); // B3
      }),
      {
        numRuns: RUNS,
        endOnFailure: true,
        // Commands by the hundred explain nothing: the error and the seed do.
        reporter({ failed, seed, errorInstance }) {
          if (failed) throw new Error(`with seed ${seed}`, { cause: errorInstance });
        },
      },
    );
    expect(cut).toBeGreaterThanOrEqual(least);
    expect(whole).toBeGreaterThan(7_000);
  },
);

/** Open reservations of calls, by thread. */
function reservedIn(path: string): ReadonlyMap<number, number> {
  return new Map(read<Row>(path, BOOKS).map(({ thread, reserved }) => [thread, reserved]));
}

function beginTree(options: Omit<OpenStoreOptions, 'now'>): void {
  const store = openStore({ ...options, now: () => 1 });
  expect(store.commit([admit(1, { ceiling: ROOT_CEILING }), step(1, 1, { status: { to: 'running' } })])).toEqual([
    true,
    true,
  ]);
  store.close();
}

function endAll(options: Omit<OpenStoreOptions, 'now'>): void {
  const store = openStore({ ...options, now: () => 4 });
  const open = read<{ thread: number }>(
    options.path,
    "SELECT thread FROM threads WHERE status NOT IN ('completed', 'continued')",
  );
  const ended = store.commit(open.map(({ thread }) => step(thread, 0, { status: { to: 'completed', ending: '{}' } })));
  expect(ended.filter((result) => result !== true)).toEqual([]);
  store.close();
}
