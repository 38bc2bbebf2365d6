import { expect, test } from 'vitest';
import type { BudgetNode, LevelAnswer, ThreadAnswer } from '../src/inspect/api.ts';
import { serve } from './fixtures/dashboard.ts';
import { call, NEVER, scene, SPAWN, THREAD_TOOLS, type Part } from './fixtures/scene.ts';

/** 300 micro-USD at the prices below. */
const usage = { input_tokens: 100, output_tokens: 20 };
const CALL = 0.0003;
const parent = (child: string, spend: number): Part => ({
  tools: THREAD_TOOLS,
  limits: { spend, spawns: 5 },
  says: [{ ...call(SPAWN, { directive_name: child }), usage }],
});
const PARTS: Readonly<Record<string, Part>> = {
  root: parent('middle', 1),
  middle: parent('leaf', 0.3),
  leaf: { limits: { spend: 0.05 }, says: [{ ...call('nothing'), usage }, NEVER] },
};
const MODEL = {
  provider: 'scripted',
  context_window: 128_000,
  max_output_tokens: 1_000,
  price: { input: 1, output: 10, cache_read: 0, cache_write: 0 },
};
const SOON = { timeout: 20_000 };

test('The budget of a thread has what is reserved, spent and left at each account above it', async () => {
  await using it = await scene(PARTS, { config: { agent: { models: { main: MODEL } } } });
  await using served = await serve(it.project.path);
  const childOf = async (id: string): Promise<string> =>
    (await served.get<LevelAnswer>(`/threads?parent=${id}`)).threads[0]?.id ?? '';
  const { id: root } = await it.runtime.spawn('root');
  await expect.poll(() => childOf(root), SOON).toMatch(/^thread-/);
  const middle = await childOf(root);
  await expect.poll(() => childOf(middle), SOON).toMatch(/^thread-/);
  const leaf = await childOf(middle);
  const read = (): Promise<ThreadAnswer> => served.get<ThreadAnswer>(`/threads/${leaf}`);
  // In its second call, for which the worst case is reserved.
  await expect
    .poll(async () => ((at) => [at.thread.turns, at.machine.state])(await read()), SOON)
    .toEqual([1, 'running.calling']);

  const { budget } = await read();
  expect(budget.map(({ id, directive, max }) => [id, directive, max])).toEqual([
    [root, 'root', 1],
    [middle, 'middle', 0.3],
    [leaf, 'leaf', 0.05],
  ]);
  const [above, between, own] = budget;
  // A child has what it may spend from its parent; what it has spent is reserved no more.
  expect(amounts(above)).toEqual([3 * CALL, 0.3 - 2 * CALL, 1 - 0.3 - CALL].map(micro));
  expect(amounts(between)).toEqual([2 * CALL, 0.05 - CALL, 0.3 - 0.05 - CALL].map(micro));
  const [spent = 0, reserved = 0, remaining] = amounts(own);
  expect(spent).toBe(micro(CALL));
  // A thousand tokens of output, and the conversation so far.
  expect(reserved).toBeGreaterThan(micro(0.01));
  expect(reserved).toBeLessThan(micro(0.02));
  expect(remaining).toBe(micro(0.05) - spent - reserved);
  await it.runtime.orchestrator.killThread(root);
});

function amounts(node: BudgetNode | undefined): number[] {
  return [node?.spent, node?.reserved, node?.remaining].map((usd) => micro(usd ?? Number.NaN));
}

/** USD as whole millionths. */
function micro(usd: number): number {
  return Math.round(usd * 1e6);
}
