import { expect, test } from 'vitest';
import { decodeEvents, type StoredEvent } from '../src/core/events.ts';
import { isEnded } from '../src/core/ending.ts';
import type { Runtime, ThreadHandle } from '../src/index.ts';
import { createRandom } from '../bench/random.ts';
import { scene } from './fixtures/scene.ts';
import { nodesOf, readTree, treeOptions, treeParts, type StoredNode } from './fixtures/tree.ts';

/** The long form (test/long/tree.test.ts) cancels 200 trees of 3,906 threads. */
const POINTS = Number(process.env['TREE_CANCELS'] ?? 20);
const FAN_OUT = Number(process.env['TREE_FAN_OUT'] ?? 3);
const SEED = Number(process.env['TREE_SEED'] ?? 4);

const TERMINAL = /^thread_(completed|error|cancelled|continued)$/;

test.each([{ synchronous: false }, { synchronous: true }])(
  'a tree that is cancelled at a random point is over with the acknowledgement, synchronous: $synchronous',
  { timeout: 900_000 },
  async (how) => {
    const random = createRandom(SEED);
    await using it = await scene(treeParts({ depth: 5, fanOut: FAN_OUT, ...how }), treeOptions(20));
    const all = await eventsOfWholeTree(it.runtime);
    const faults: unknown[] = [];
    let cancelled = 0;
    for (let point = 0; point < POINTS / 2; point++) {
      // As many early points as late ones: most of a tree's events come late.
      const after = Math.floor(all ** random());
      const handle = await it.runtime.spawn('level0');
      await cancelAfter(it.runtime, handle, after);
      const acknowledged = Date.now();
      readTree(it.project, handle.id, (tree, reader) => {
        if (tree.row.status === 'cancelled') cancelled++;
        for (const node of nodesOf(tree)) {
          const found = faultsOf(node, { events: reader.events(node.row.thread).flatMap(decodeEvents), acknowledged });
          if (found.length > 0) faults.push({ point, after, directive: node.row.directive, found });
        }
      });
    }
    expect(faults).toEqual([]);
    expect(cancelled).toBeGreaterThan(POINTS / 4);
    expect(await it.runtime.view()).toMatchObject({ running: 0, queued: 0 });
  },
);

type Seen = { readonly events: readonly StoredEvent[]; readonly acknowledged: number };

/** What is wrong with a thread of a cancelled tree once the cancellation is acknowledged. */
function faultsOf({ row, ledger }: StoredNode, { events, acknowledged }: Seen): string[] {
  const terminal = events.filter(({ event_type: type }) => TERMINAL.test(type));
  // A call is begun before its answer or its usage is told of.
  const late = events.filter(
    ({ event_type: type, time }) => /^(cognition_out|usage)$/.test(type) && time > acknowledged,
  );
  const faults = {
    [`is ${row.status}`]: !isEnded(row.status),
    [`has ${terminal.length} terminal events`]: terminal.length !== 1 || terminal[0] !== events.at(-1),
    [`called its model ${late.length} times too late`]: late.length > 0,
    [`holds money: ${JSON.stringify(ledger)}`]: ledger?.status !== 'released' || ledger.reserved + ledger.extra > 0,
    [`counts ${ledger?.committed} as committed`]: ledger?.committed !== ledger?.actual,
  };
  return Object.entries(faults).flatMap(([name, holds]) => (holds ? [name] : []));
}

/** How many events a tree has that nobody cancels. */
async function eventsOfWholeTree(runtime: Runtime): Promise<number> {
  let seen = 0;
  const stop = runtime.on('event', () => seen++);
  const handle = await runtime.spawn('level0');
  await handle.result;
  stop();
  return seen;
}

/** Cancels a tree when so many events have been seen; resolves with the acknowledgement. */
function cancelAfter(runtime: Runtime, handle: ThreadHandle, events: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let left = events;
    const cancel = (): void => {
      left = 0;
      handle.cancel('at a random point').then(resolve, reject);
    };
    if (left === 0) return cancel();
    const stop = runtime.on('event', () => {
      if (--left > 0) return;
      stop();
      cancel();
    });
    // The last events may be on their way still when the tree has ended.
    void handle.result.then(() => {
      stop();
      if (left > 0) resolve();
    });
  });
}
