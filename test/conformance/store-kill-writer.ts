/*
 * Child process of tests that kill it or make its files fail: opens the store at argv[2] and commits steps of a few
 * threads, printing `ack <thread> <last sequence> <spent>` after each commit. After argv[3] rounds it kills itself;
 * without them it goes on for ever; `BUSY` leaves it no quiet moment, and its events are long. When something fails it prints `failed <code>`, and `then <code>` for what the same
 * store says next.
 */
import { writeSync } from 'node:fs';
import { SkeinError } from '../../src/core/errors.ts';
import type { StepOp, Store, StoreOp } from '../../src/core/store.ts';
import { openStore } from '../../src/store/open.ts';
import { admit, lines, shippedTables } from './store-fixture.ts';

type Opened = ReturnType<typeof openStore>;

const THREADS = 4;

const [, , path = '', rounds = 'Infinity'] = process.argv;
const isBusy = process.env['BUSY'] !== undefined;
let opened: Opened | undefined;
try {
  opened = openStore({ path, tables: shippedTables(), now: Date.now });
  work(opened, Number(rounds));
  process.kill(process.pid, 'SIGKILL');
} catch (thrown) {
  writeSync(1, `failed ${codeOf(thrown)}\n`);
  if (opened) writeSync(1, `then ${afterwards(opened)}\n`);
}

function work(store: Opened, rounds: number): void {
  const first = store.opened.nextThread;
  const root = admit(first, { ceiling: 1e12 });
  const children = Array.from({ length: THREADS }, (_, index) =>
    admit(first + 1 + index, { parent: first, root: first, ceiling: 1e9 }),
  );
  commit(store, [root, ...children]);
  const state = new Map(children.map(({ thread }) => [thread, { sequence: 0, spent: 0 }]));
  for (let round = 0; round < rounds; round++) {
    const steps = [...state].map(([thread, { sequence, spent }]): StepOp => {
      const last = sequence + 1 + (round % 3);
      state.set(thread, { sequence: last, spent: spent + 5 });
      return {
        type: 'step',
        thread,
        at: round,
        lines: lines(sequence + 1, last, 'x'.repeat(isBusy ? 200_000 : (round % 7) * 500)),
        firstSequence: sequence + 1,
        lastSequence: last,
        settle: { reserved: round === 0 ? 0 : 10, actual: 5 },
        reserve: 10,
        cost: { turns: round + 1, inputTokens: 0, outputTokens: 0, spend: spent + 5 },
        checkpoint: { turn: round + 1, state: String(last) },
        ...(round === 0 && { status: { to: 'running' } }),
      };
    });
    commit(store, steps);
    if (isBusy) store.keepLogShort?.();
    else if (round % 20 === 19) store.idle();
    writeSync(1, [...state].map(([thread, { sequence, spent }]) => `ack ${thread} ${sequence} ${spent}\n`).join(''));
  }
}

/** What becomes of another operation, and of closing. */
function afterwards(store: Opened): string {
  try {
    commit(store, [admit(store.opened.nextThread + THREADS + 1)]);
    return 'went on';
  } catch (thrown) {
    return codeOf(thrown);
  } finally {
    store.close();
  }
}

function codeOf(thrown: unknown): string {
  return thrown instanceof SkeinError ? thrown.code : String(thrown);
}

function commit(store: Store, ops: readonly StoreOp[]): void {
  const bad = store.commit(ops).find((result) => result !== true);
  if (bad) throw new Error(JSON.stringify(bad));
}
