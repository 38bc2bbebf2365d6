import { expect, test } from 'vitest';
import { withBelow } from './interrupted.ts';
import { createThreadTable, newEntry } from './thread-table.ts';

test('a thread and all that is below it may be 200,000 children', () => {
  const id = `thread-${'0'.repeat(32)}` as const;
  const [top, child] = [1, 2].map((thread) =>
    newEntry({ thread, threadId: id, parent: undefined, parentId: undefined, root: 1 }, undefined),
  );
  if (!top || !child) throw new Error('they were made');
  // To have so many in a real one takes seconds.
  const children = Array.from({ length: 200_000 }, () => child);
  const table = { ...createThreadTable(), childrenOf: (one: unknown) => (one === top ? children : []) };
  expect(withBelow(top, { table })).toHaveLength(200_001);
});
