import { h } from 'preact';
import { expect, test } from 'vitest';
import type { ProjectAnswer } from '../../api.ts';
import { draw } from '../fixtures/drawn.ts';
import { totalsOf } from '../fixtures/thread-row.ts';
import { TreeFilter } from './tree-filter.tsx';

const project: ProjectAnswer = {
  name: 'p',
  version: '1',
  runtime: null,
  totals: { ...totalsOf(500), counts: { running: 400, error: 100 } },
  pending_approvals: 0,
};

test('The filter says how many there are of each kind of all threads, which is what it chooses from', async () => {
  const drawn = draw(h(TreeFilter, {}), () => undefined, { project });
  expect(drawn.text()).toBe('running400error100');
  drawn.dashboard.tree.filter(['error', 'cancelled']);
  await expect.poll(drawn.text).toBe('running400error100cancelled0');
});
