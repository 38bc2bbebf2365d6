import { expect, test } from 'vitest';
import { followedLevels } from '../src/inspect/ui/live/tree-reader.ts';
import { serve } from './fixtures/dashboard.ts';
import { openBehind } from './fixtures/page-behind.ts';
import { call, NEVER, scene, SPAWN, THREAD_TOOLS, until, type Part } from './fixtures/scene.ts';

/** With the roots one more than the server follows for a page. */
const LEVELS = 50;
const PARTS: Readonly<Record<string, Part>> = {
  patient: { tools: THREAD_TOOLS, says: [call(SPAWN, { directive_name: 'endless' })] },
  endless: { says: [NEVER] },
};
const SOON = { timeout: 20_000 };

test('Of more open levels than are followed the page knows which are not, and reads one again that is followed anew', async () => {
  await using it = await scene(PARTS, {
    config: { resilience: { concurrency: { max_total_threads: 2 * LEVELS } } },
  });
  const parents = await Promise.all(Array.from({ length: LEVELS }, () => it.runtime.spawn('patient')));
  await Promise.all(parents.map((parent) => until(parent, 'child_thread_started')));
  await using served = await serve(it.project.path);
  using page = openBehind(served);
  const tree = () => page.store.get().tree;
  const statusIn = (parent: string): string | undefined => {
    const [child = ''] = tree().levels.get(parent)?.ids ?? [];
    return tree().threads.get(child)?.status;
  };
  const ids = parents.map(({ id }) => id);
  const [first = '', second = '', ...others] = ids;
  for (const id of ids) page.tree.expand(id, true);
  await expect.poll(() => ids.map(statusIn), SOON).toEqual(ids.map(() => 'running'));
  expect(followedLevels(tree())).toEqual({ followed: ['root', second, ...others], others: [first] });

  await Promise.all(parents.map((parent) => parent.cancel('enough')));
  const rest = [second, ...others];
  await expect.poll(() => rest.map(statusIn), SOON).toEqual(rest.map(() => 'cancelled'));
  expect(statusIn(first)).toBe('running');
  page.tree.expand(second, false);
  await expect.poll(() => statusIn(first), SOON).toBe('cancelled');
  expect(served.problems).toEqual([]);
});
