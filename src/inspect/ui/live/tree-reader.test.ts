import { describe, expect, test } from 'vitest';
import { ALL, ROOT, type LevelAnswer } from '../../api.ts';
import { threadRow, totalsOf } from '../fixtures/thread-row.ts';
import { emptyTree } from '../model/tree-state.ts';
import { createApiClient } from './api-client.ts';
import { UNKNOWN } from './page-state.ts';
import { createStore } from './store.ts';
import { createTreeReader } from './tree-reader.ts';

/** A reader of a server with so many roots, which gives pages as the API does. */
function start(threads: number) {
  const ids = Array.from({ length: threads }, (_, at) => `t${at}`);
  const asked: string[] = [];
  const api = createApiClient('t', async (address) => {
    const path = typeof address === 'string' ? address : '';
    const { searchParams } = new URL(path, 'http://localhost');
    asked.push(path);
    const after = searchParams.get('after');
    const from = after === null ? 0 : ids.indexOf(after) + 1;
    const page = ids.slice(from, from + Number(searchParams.get('limit')));
    const next = page.at(-1);
    // With a filter, only such are given.
    const status = searchParams.has('status') ? 'error' : 'running';
    const answer: LevelAnswer = {
      parent: searchParams.get('parent') ?? '',
      totals: totalsOf(threads),
      threads: page.map((id) => threadRow(id, { status })),
      ...(next !== undefined && next !== ids.at(-1) && { next }),
    };
    return Response.json(answer);
  });
  const store = createStore({ ...UNKNOWN, tree: emptyTree() }, (run) => run());
  const shown = () => store.get().tree.levels.get(ROOT)?.ids ?? [];
  return { reader: createTreeReader(api, store), store, ids, asked, shown };
}

test('With a filter all threads that stand so are asked for, whatever is above them; without one the roots again', async () => {
  const { reader, store, asked, shown } = start(3);
  reader.filter(['error', 'cancelled']);
  await expect.poll(() => store.get().tree.levels.get(ALL)?.ids).toHaveLength(3);
  reader.filter([]);
  await expect.poll(shown).toHaveLength(3);
  expect(asked).toEqual([
    '/api/threads?parent=all&limit=100&status=error%2Ccancelled',
    '/api/threads?parent=root&limit=100',
  ]);
});

describe('A level that is read again', () => {
  test('has as many threads as before, and no fewer meanwhile, so that nobody who has scrolled is moved', async () => {
    const { reader, store, ids, asked, shown } = start(3_000);
    while (shown().length < 2_000) await reader.more(ROOT);
    const before = shown().length;
    const lengths = new Set<number>();
    store.listen(() => lengths.add(shown().length));
    asked.length = 0;
    await reader.refresh();
    expect([...lengths]).toEqual([before]);
    expect(shown()).toEqual(ids.slice(0, before));
    expect(asked).toHaveLength(5);
    await reader.more(ROOT);
    expect(shown()).toEqual(ids.slice(0, before + 500));
  });

  test('is read with one request where it is short, and to its end where it has become shorter', async () => {
    const { reader, ids, asked, shown } = start(700);
    await reader.refresh();
    expect([asked.length, shown().length]).toEqual([1, 100]);
    await reader.more(ROOT);
    ids.length = 50;
    await reader.refresh();
    expect([asked.length, shown().length]).toEqual([3, 50]);
  });
});
