import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_BUFFERED_BYTES } from '../src/inspect/server/viewer.ts';
import { serve, type Served } from './fixtures/dashboard.ts';
import { scene, type Part, type Scene } from './fixtures/scene.ts';
import { openStalled, readUntil } from './fixtures/stalled-viewer.ts';
import { heldByKernel } from './fixtures/tcp-queues.ts';

/** Eight megabytes: more than what the kernel keeps for a connection of which one end does not read, and a mebibyte. */
const TURNS = 10;
const CALLS = Array.from({ length: 25 }, () => ({ name: 'no_such_tool', input: { text: 'a heron '.repeat(4_000) } }));

const PARTS: Readonly<Record<string, Part>> = {
  chatty: {
    limits: { tokens: 100_000_000, spend: 100 },
    says: [...Array.from({ length: TURNS }, () => ({ tool_calls: CALLS })), { text: 'Enough.' }],
  },
};
const WIDE = {
  provider: 'scripted',
  context_window: 100_000_000,
  max_output_tokens: 1_000,
  price: { input: 0, output: 0, cache_read: 0, cache_write: 0 },
};

let it: Scene;
let served: Served;
beforeAll(async () => {
  it = await scene(PARTS, { config: { agent: { models: { main: WIDE } } } });
  served = await serve(it.project.path);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await it[Symbol.asyncDispose]();
});

test('of a viewer that never reads, the dashboard keeps a mebibyte at most, tells it how much it has missed, and serves others', async () => {
  const { id, result } = await it.runtime.spawn('chatty');
  expect((await result).status).toBe('completed');
  const query = `thread=${id}&after=0`;
  const stalled = await openStalled(served, query);
  using other = served.live(query);
  await other.until(
    (one) => one.type === 'log' && one.events.some(({ event_type: type }) => type === 'thread_completed'),
  );
  const elsewhere = stalled.bytesRead + heldByKernel({ from: portOf(served), to: stalled.localPort ?? 0 });
  const [first = '', dropped = ''] = (await readUntil(stalled, '"type":"dropped"')).split('event: dropped\n');
  stalled.destroy();
  const kept = Buffer.byteLength(first) - elsewhere;
  expect(kept).toBeGreaterThan(MAX_BUFFERED_BYTES / 2);
  expect(kept).toBeLessThanOrEqual(MAX_BUFFERED_BYTES);
  // How many depends on how long the other one needed; viewer.test.ts counts them.
  expect(Number(/"messages":(\d+)/.exec(dropped)?.[1])).toBeGreaterThan(0);
  expect(served.problems).toEqual([]);
});

function portOf({ origin }: Served): number {
  return Number(new URL(origin).port);
}
