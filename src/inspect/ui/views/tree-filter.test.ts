import { h } from 'preact';
import { expect, test } from 'vitest';
import { ROOT, type ProjectAnswer } from '../../api.ts';
import { draw } from '../fixtures/drawn.ts';
import { totalsOf } from '../fixtures/thread-row.ts';
import { emptyTree, withBatch } from '../model/tree-state.ts';
import { TreeFilter } from './tree-filter.tsx';

const project: ProjectAnswer = {
  name: 'p',
  version: '1',
  runtime: null,
  totals: { ...totalsOf(500), counts: { running: 400, error: 100 } },
  pending_approvals: 0,
};
const roots = { ...totalsOf(7), counts: { running: 7 } };

test('The filter says how many there are of each kind where the tree has its threads from, the roots', () => {
  const tree = withBatch(emptyTree(), { changed: [], levels: [{ parent: ROOT, totals: roots }] });
  const drawn = draw(h(TreeFilter, {}), () => undefined, { project, tree });
  expect(drawn.text()).toBe('running7error0');
  drawn.dashboard.tree.filter(['running']);
  expect(drawn.text()).toBe('running7error0');
});

test('The filter says no number while it is not known how many roots there are', () => {
  const drawn = draw(h(TreeFilter, {}), () => undefined, { project });
  expect(drawn.text()).toBe('runningerror');
});
