import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LevelAnswer, ThreadRow } from '../../src/inspect/api.ts';
import { serve, type Served } from '../fixtures/dashboard.ts';
import { openBehind } from '../fixtures/page-behind.ts';
import { NEVER, scene, starterOf, until, type Part, type Scene } from '../fixtures/scene.ts';

const CHILDREN = 2_000;
const PARTS: Readonly<Record<string, Part>> = {
  fan: {
    ...starterOf(
      Array.from({ length: CHILDREN }, () => 'endless'),
      NEVER,
    ),
    limits: { spawns: CHILDREN, spend: 100, duration_seconds: 3_600 },
  },
  endless: { limits: { spend: 0.01, duration_seconds: 3_600 }, says: [NEVER] },
};
/** The machine may have others to serve. */
const SOON = { timeout: 60_000 };

let it: Scene;
let served: Served;
beforeAll(async () => {
  const concurrency = { max_total_threads: CHILDREN + 1, max_concurrent_children: CHILDREN };
  it = await scene(PARTS, { workers: 2, config: { resilience: { concurrency } } });
  served = await serve(it.project.path);
});
afterAll(async () => {
  await served?.[Symbol.asyncDispose]();
  await it?.[Symbol.asyncDispose]();
});

/** All children of a thread, as they are stored. */
async function stored(parent: string): Promise<readonly ThreadRow[]> {
  const rows: ThreadRow[] = [];
  for (let after = ''; ;) {
    const page = await served.get<LevelAnswer>(`/threads?parent=${parent}&limit=500${after}`);
    rows.push(...page.threads);
    if (page.next === undefined) return rows;
    after = `&after=${page.next}`;
  }
}

test(`a page that follows ${CHILDREN} children has all of them as they are stored, once they are cancelled at once`, async () => {
  const handle = await it.runtime.spawn('fan');
  const { id } = handle;
  let started = 0;
  await until(handle, 'child_thread_started', () => ++started === CHILDREN);
  using page = openBehind(served);
  const level = () => page.store.get().tree.levels.get(id);
  const shown = () => level()?.ids.map((child) => page.store.get().tree.threads.get(child));
  page.tree.expand(id, true);
  await expect.poll(() => page.store.get().connection.kind, SOON).toBe('open');
  const readOn = async (): Promise<number | undefined> => {
    if (level()?.next !== undefined) await page.tree.more(id);
    return shown()?.length;
  };
  await expect.poll(readOn, SOON).toBe(CHILDREN);
  await expect.poll(() => new Set(shown()?.map((child) => child?.status)), SOON).toEqual(new Set(['running']));

  // With each batch somebody opens another thread: what is still to be told is not lost with the request that it was asked by.
  const others = (level()?.ids ?? []).values();
  let told = 0;
  const unlisten = page.store.listen(() => {
    const now = shown()?.filter((child) => child?.status === 'cancelled').length ?? 0;
    const { value } = now > told ? others.next() : {};
    told = now;
    if (value !== undefined) page.show(value);
  });
  await it.runtime.orchestrator.killThread(id);
  const rows = await stored(id);
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['cancelled']));
  await expect.poll(shown, SOON).toEqual(rows);
  unlisten();
  expect(page.store.get().dropped).toBe(0);
  expect(served.problems).toEqual([]);
});
