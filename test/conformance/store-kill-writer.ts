/*
 * Child process of store-kill.test.ts: opens the store at argv[2] and commits steps of a few threads for ever, printing
 * `ack <thread> <last sequence> <spent>` after each commit.
 */
import { writeSync } from 'node:fs';
import type { StepOp, StoreOp } from '../../src/core/store.ts';
import { openStore } from '../../src/store/open.ts';
import { admit, lines, shippedTables } from './store-fixture.ts';

const THREADS = 4;

const store = openStore({ path: process.argv[2] ?? '', tables: shippedTables(), now: Date.now });
const first = store.opened.nextThread;
const root = admit(first, { ceiling: 1e12 });
const children = Array.from({ length: THREADS }, (_, index) =>
  admit(first + 1 + index, { parent: first, root: first, ceiling: 1e9 }),
);
commit([root, ...children]);
const state = new Map(children.map(({ thread }) => [thread, { sequence: 0, spent: 0 }]));
for (let round = 0; ; round++) {
  const steps = [...state].map(([thread, { sequence, spent }]): StepOp => {
    const last = sequence + 1 + (round % 3);
    state.set(thread, { sequence: last, spent: spent + 5 });
    return {
      type: 'step',
      thread,
      at: round,
      lines: lines(sequence + 1, last, 'x'.repeat((round % 7) * 500)),
      firstSequence: sequence + 1,
      lastSequence: last,
      settle: { reserved: round === 0 ? 0 : 10, actual: 5 },
      reserve: 10,
      cost: { turns: round + 1, inputTokens: 0, outputTokens: 0, spend: spent + 5 },
      checkpoint: { turn: round + 1, state: String(last) },
      ...(round === 0 && { status: { to: 'running' } }),
    };
  });
  commit(steps);
  if (round % 20 === 19) store.idle();
  writeSync(1, [...state].map(([thread, { sequence, spent }]) => `ack ${thread} ${sequence} ${spent}\n`).join(''));
}

function commit(ops: readonly StoreOp[]): void {
  const bad = store.commit(ops).find((result) => result !== true);
  if (bad) throw new Error(JSON.stringify(bad));
}
