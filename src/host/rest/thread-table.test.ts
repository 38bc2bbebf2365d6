import { describe, expect, test } from 'vitest';
import type { ThreadNo } from '../../core/ids.ts';
import { createThreadTable, type ThreadTable } from './thread-table.ts';

describe('The thread table', () => {
  test('finds a thread by number and by id', () => {
    const table = createThreadTable();
    const entry = add(table, 1);
    expect(table.get(1)).toBe(entry);
    expect(table.byId(entry.lineage.threadId)).toBe(entry);
    expect(table.size()).toBe(1);
  });

  test.each(['', 'thread-', 'nonsense', '__proto__', '1', '-1'])('has no thread with the id %j', (id) => {
    const table = createThreadTable();
    add(table, 1);
    expect(table.byId(id)).toBeUndefined();
  });

  test('knows a parent and its live children', () => {
    const table = createThreadTable();
    const parent = add(table, 1);
    const child = add(table, 2, 1);
    expect(table.parentOf(child)).toBe(parent);
    expect(table.parentOf(parent)).toBeUndefined();
    expect([...(parent.children ?? [])]).toEqual([2]);
    table.leaveParent(child);
    expect([...(parent.children ?? [])]).toEqual([]);
    expect(table.get(2)).toBe(child);
  });

  test('still reaches live threads below a child that has ended', () => {
    const table = createThreadTable();
    add(table, 1);
    const child = add(table, 2, 1);
    add(table, 3, 2);
    child.phase = 'ended';
    table.leaveParent(child);
    expect(childrenOf(table, 1)).toEqual([2]);
    expect(childrenOf(table, 2)).toEqual([3]);
  });

  test('forgets a thread by number and by id', () => {
    const table = createThreadTable();
    const entry = add(table, 1);
    table.forget(entry);
    expect([table.get(1), table.byId(entry.lineage.threadId), table.size()]).toEqual([undefined, undefined, 0]);
  });

  test('has no parent for a child whose parent was forgotten', () => {
    const table = createThreadTable();
    const parent = add(table, 1);
    const child = add(table, 2, 1);
    table.forget(parent);
    expect(table.parentOf(child)).toBeUndefined();
    expect(() => table.leaveParent(child)).not.toThrow();
  });
});

function add(table: ThreadTable, thread: ThreadNo, parent?: ThreadNo) {
  const id = (no: ThreadNo) => `thread-${no.toString(16).padStart(32, '0')}` as const;
  const parentId = parent === undefined ? undefined : id(parent);
  return table.add({ thread, threadId: id(thread), parent, parentId, root: 1 }, undefined);
}

function childrenOf(table: ThreadTable, thread: ThreadNo): ThreadNo[] {
  const entry = table.get(thread);
  return entry ? table.childrenOf(entry).map(({ lineage }) => lineage.thread) : [];
}
