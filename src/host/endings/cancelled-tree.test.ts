import { expect, test } from 'vitest';
import { SYSTEM_DIR } from '../../config/default-places.ts';
import { loadConfig } from '../../config/load.ts';
import type { ThreadNo } from '../../core/ids.ts';
import { createThreadTable, type ThreadEntry } from '../rest/thread-table.ts';
import { beingCancelled } from './cancelled-tree.ts';

const { config } = loadConfig({ systemDir: SYSTEM_DIR, projectDir: '/nowhere' });
const ROOT = 1;

test('Of a tree that is being cancelled each that is live is given when it is asked for', () => {
  const { left, add, end } = cancelledRoot();
  const second = add(2, ROOT);
  const third = add(3, ROOT);
  const fourth = add(4, ROOT);
  const fifth = add(5, 4);
  const asked = left();
  expect(asked.next().value).toBe(fourth);
  // Before it is its turn.
  end(third);
  expect([...asked]).toEqual([fifth, second]);
  for (const entry of [fifth, fourth, second]) end(entry);
  expect([...left()]).toEqual([]);
});

test('Who was being admitted is found by the next look', () => {
  const { left, add, end } = cancelledRoot();
  const second = add(2, ROOT);
  const asked = left();
  expect(asked.next().value).toBe(second);
  const late = add(3, ROOT);
  end(second);
  expect([[...asked], [...left()]]).toEqual([[], [late]]);
});

test('What is below one that has ended meanwhile is among them', () => {
  const { left, add, end } = cancelledRoot();
  const child = add(2, ROOT);
  const below = add(3, 2);
  const asked = left();
  expect(asked.next().value).toBe(child);
  end(child);
  expect([...asked]).toEqual([below]);
});

/** A cancelled thread that has ended before those below it, who are cancelled, too. */
function cancelledRoot() {
  const table = createThreadTable();
  const add = (thread: ThreadNo, parent?: ThreadNo): ThreadEntry => {
    const parentId = parent === undefined ? undefined : (`thread-${parent}` as const);
    const entry = table.add({ thread, threadId: `thread-${thread}`, parent, parentId, root: ROOT }, undefined);
    entry.cancelReason = 'enough';
    return entry;
  };
  const root = add(ROOT);
  root.phase = 'ended';
  const end = (entry: ThreadEntry): void => {
    entry.phase = 'ended';
    table.leaveParent(entry);
  };
  return { add, end, left: () => beingCancelled({ config, table }, root) };
}
