import { h } from 'preact';
import { expect, test } from 'vitest';
import { draw } from '../fixtures/drawn.ts';
import { totalsOf } from '../fixtures/thread-row.ts';
import { UNKNOWN, type PageState } from '../live/page-state.ts';
import { emptyTree, topOf, withFilter, withPage, withReading, type TreeState } from '../model/tree-state.ts';
import { TreeEmpty } from './tree-empty.tsx';

const failure = { code: 'store_failed', message: 'Nothing has run in this project yet' };
const connection = { kind: 'lost', failure, retryAtMs: 0 } as const;
const read = none(emptyTree());

/** A tree in which no thread was found. */
function none(tree: TreeState): TreeState {
  const parent = topOf(tree);
  const begun = withReading(tree, parent);
  return withPage(begun, { parent, totals: totalsOf(0), threads: [] }, { after: undefined, since: begun.version });
}

test.each<[string, Partial<PageState>, string]>([
  ['nothing was read yet', UNKNOWN, 'Reading the threads…'],
  ['nothing could be read', { connection }, `The threads can’t be shown: ${failure.message}`],
  ['there are none', { tree: read }, 'No threads.'],
  ['there were none when the connection was there', { tree: read, connection }, 'No threads.'],
  ['none stand as chosen', { tree: none(withFilter(emptyTree(), ['error'])) }, 'No threads that stand so.'],
])('An empty tree says that %s', async (_, known, text) => {
  const drawn = draw(h(TreeEmpty, {}), () => undefined);
  drawn.dashboard.store.set((state) => ({ ...state, ...known }));
  await expect.poll(drawn.text).toBe(text);
});
