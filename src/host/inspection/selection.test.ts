import { expect, test } from 'vitest';
import { createHostBench, suspendedRow } from '../../../test/fixtures/host-bench.ts';
import type { StoreReader } from '../../core/store.ts';
import type { Lineage } from '../../core/protocol.ts';
import { NOTHING_STORED } from '../../store/untouched.ts';
import { createSelection, isSampled } from './selection.ts';

const LINEAGE: Lineage = { thread: 7, threadId: 'thread-7', parent: undefined, parentId: undefined, root: 7 };

test('The directive of a thread that was read back is looked up once, however often it is asked for', () => {
  let looks = 0;
  const row = { ...suspendedRow(LINEAGE), directive: 'survey' };
  const reader: StoreReader = { ...NOTHING_STORED, thread: () => (looks++, row) };
  const { host } = createHostBench({}, { reader });
  const entry = host.table.add(LINEAGE, undefined);
  const selections = ['sur*', 'other', 'survey'].map((pattern) =>
    createSelection({ directives: [pattern] }, () => host),
  );
  expect(selections.map((selects) => selects(entry))).toEqual([true, false, true]);
  expect(looks).toBe(1);
});

/** Numbers of the threads of two trees that are selected: roots with 40 children each, who have a child each. */
function sampled(sampleOf: 'roots' | 'children') {
  const bench = createHostBench({ concurrency: { max_concurrent_children: 40 } });
  const families = [1, 2].map(() => {
    const root = bench.spawn({ spawns: 1_000 });
    return { root, children: Array.from({ length: 40 }, () => bench.spawn({ parent: root })) };
  });
  const grandchild = new Map(
    families.flatMap(({ children }) => children.map((parent) => [parent, bench.spawn({ parent })] as const)),
  );
  const selects = createSelection({ sample: 0.5, sampleOf }, () => bench.host);
  return { bench, families, grandchild, selects };
}

test('Of a sample of children every root is, and each of its children with all below it or not at all', () => {
  const { families, grandchild, selects } = sampled('children');
  expect(families.map(({ root }) => selects(root))).toEqual([true, true]);
  const children = families.flatMap((family) => family.children);
  const seen = children.map((child) => [selects(child), selects(grandchild.get(child) ?? child)]);
  expect(seen).toEqual(children.map(({ lineage }) => Array(2).fill(isSampled(lineage.thread, 0.5))));
  const count = seen.filter(([isSeen]) => isSeen).length;
  expect([count > 30, count < 50]).toEqual([true, true]);
});

test('Who takes over from a child is in a sample of children if that one is', () => {
  const { bench, families, selects } = sampled('children');
  const children = families.flatMap((family) => family.children);
  const heirs = children.map((child, index) =>
    bench.host.table.succeed(child, { ...child.lineage, thread: 1_000 + index, threadId: `thread-heir-${index}` }),
  );
  expect(heirs.map(selects)).toEqual(children.map(selects));
});

test('Of a sample of roots a tree is as a whole or not at all', () => {
  const { families, grandchild, selects } = sampled('roots');
  for (const { root, children } of families) {
    const below = children.flatMap((child) => [child, grandchild.get(child) ?? child]);
    expect(new Set(below.map(selects))).toEqual(new Set([isSampled(root.lineage.root, 0.5)]));
  }
});
