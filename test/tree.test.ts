import { describe, expect, test } from 'vitest';
import { decodeEvents } from '../src/core/events.ts';
import type { StoreReader } from '../src/core/store.ts';
import type { Runtime } from '../src/index.ts';
import { scene } from './fixtures/scene.ts';
import { chargeOf, nodesOf, readTree, treeOptions, treeParts, treeSize, type StoredNode } from './fixtures/tree.ts';

/** For both shapes; the long form (test/long/tree.test.ts) has 3,906 threads in each. */
const FAN_OUT = process.env['TREE_FAN_OUT'];
const SLOTS = 20;

describe.each([
  { synchronous: false, fanOut: Number(FAN_OUT ?? 5) },
  { synchronous: true, fanOut: Number(FAN_OUT ?? 3) },
])('A tree of depth 5 with $fanOut children of each thread, synchronous: $synchronous', (how) => {
  const shape = { depth: 5, ...how };

  test(
    'ends without a deadlock, in at most 20 slots, with the money right to the nano-dollar at every node',
    { timeout: 600_000 },
    async () => {
      await using it = await scene(treeParts(shape), treeOptions(SLOTS));
      const handle = await it.runtime.spawn('level0');
      const peak = peakUntil(it.runtime, handle.result);
      expect(await handle.result).toMatchObject({ status: 'completed', text: 'level 0 done' });
      const most = await peak;
      expect(most).toBeLessThanOrEqual(SLOTS);
      expect(most).toBeGreaterThan(SLOTS / 2);
      readTree(it.project, handle.id, (tree, reader) => {
        const nodes = nodesOf(tree);
        expect(nodes).toHaveLength(treeSize(shape));
        expect(nodes.filter(({ row }) => row.status !== 'completed')).toEqual([]);
        const wrong = nodes.filter((node) => !isExact(node, reader, shape));
        expect(wrong.map(({ row, ledger }) => ({ row, ledger }))).toEqual([]);
      });
    },
  );
});

/** The ledger says what the model charged for the thread and everything below it, by three ways of counting. */
function isExact(node: StoredNode, reader: StoreReader, shape: Parameters<typeof chargeOf>[1]): boolean {
  const level = Number(node.row.directive.slice('level'.length));
  const charged = chargeOf(level, shape);
  const ofRows = nodesOf(node).reduce((sum, { row }) => sum + row.cost.spend, 0);
  const { actual, reserved, committed } = node.ledger ?? {};
  const isOwnRight = ownCharges(node, reader) === node.row.cost.spend;
  return isOwnRight && charged === ofRows && charged === actual && charged === committed && reserved === 0;
}

/** What the `usage` events of a thread add up to, in nano-USD. */
function ownCharges({ row }: StoredNode, reader: StoreReader): number {
  const events = reader.events(row.thread).flatMap(decodeEvents);
  return events.reduce((sum, { event_type: type, payload }) => {
    return type === 'usage' ? sum + Math.round(payload.spend * 1e9) : sum;
  }, 0);
}

/** The most slots that were taken at once, asked of the supervisor over and over until the work is done. */
async function peakUntil(runtime: Runtime, done: Promise<unknown>): Promise<number> {
  const over = done.then(() => undefined);
  let peak = 0;
  for (;;) {
    const view = await Promise.race([over, runtime.view()]);
    if (!view) return peak;
    peak = Math.max(peak, view.running);
  }
}
