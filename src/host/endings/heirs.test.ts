import { describe, expect, test } from 'vitest';
import type { ThreadNo } from '../../core/ids.ts';
import { latestOf } from '../latest.ts';
import { createThreadTable, type ThreadEntry, type ThreadTable } from '../rest/thread-table.ts';

const ROOT = 1;

function add(table: ThreadTable, thread: ThreadNo, parent?: ThreadNo): ThreadEntry {
  return table.add(lineageOf(thread, parent), undefined);
}

function lineageOf(thread: ThreadNo, parent?: ThreadNo): ThreadEntry['lineage'] {
  const parentId = parent === undefined ? undefined : (`thread-${parent}` as const);
  return { thread, threadId: `thread-${thread}`, parent, parentId, root: ROOT };
}

/** As a hand-over does it. */
function succeed(table: ThreadTable, entry: ThreadEntry, thread: ThreadNo): ThreadEntry {
  const heir = table.succeed(entry, lineageOf(thread, entry.lineage.parent));
  entry.phase = 'ended';
  table.leaveParent(entry);
  return heir;
}

function children(table: ThreadTable, entry: ThreadEntry): ThreadNo[] {
  return table.childrenOf(entry).map(({ lineage }) => lineage.thread);
}

describe('A thread that has handed over', () => {
  test('leaves its children to its successor, who is their parent from then on', () => {
    const table = createThreadTable();
    const parent = add(table, ROOT);
    const child = add(table, 2, ROOT);
    const heir = succeed(table, parent, 3);
    expect(table.parentOf(child)).toBe(heir);
    expect([children(table, heir), heir.liveChildren]).toEqual([[2], 1]);
    expect([children(table, parent), parent.liveChildren]).toEqual([[], 0]);
  });

  test('leaves them to the last of a chain, with those that were started in between', () => {
    const table = createThreadTable();
    const first = add(table, ROOT);
    const old = add(table, 2, ROOT);
    const second = succeed(table, first, 3);
    const young = add(table, 4, 3);
    const third = succeed(table, second, 5);
    expect([table.parentOf(old), table.parentOf(young)]).toEqual([third, third]);
    expect([children(table, third), third.liveChildren]).toEqual([[2, 4], 2]);
    expect(latestOf(first)).toBe(third);
    table.leaveParent(old);
    expect([children(table, third), third.liveChildren]).toEqual([[4], 1]);
  });

  test('has children that come late join those of its successor', () => {
    const table = createThreadTable();
    const parent = add(table, ROOT);
    add(table, 2, ROOT);
    const heir = succeed(table, parent, 3);
    // It was being admitted below the predecessor.
    const late = add(table, 4, ROOT);
    expect(table.parentOf(late)).toBe(heir);
    expect([children(table, heir), heir.liveChildren]).toEqual([[2, 4], 2]);
  });

  test('stands in its parent’s place: one child before and after', () => {
    const table = createThreadTable();
    const parent = add(table, ROOT);
    const child = add(table, 2, ROOT);
    const heir = succeed(table, child, 3);
    expect([children(table, parent), parent.liveChildren]).toEqual([[3], 1]);
    expect([heir.owner, heir.family]).toEqual([child.owner, child.family]);
  });

  test('is in nobody’s memory once its heir is forgotten', () => {
    const table = createThreadTable();
    const parent = add(table, ROOT);
    const child = add(table, 2, ROOT);
    const heir = succeed(table, parent, 3);
    table.forget(heir);
    expect(table.parentOf(child)).toBe(parent);
    table.forget(parent);
    expect(table.parentOf(child)).toBeUndefined();
  });
});
