import { expect, test } from 'vitest';
import { createHostBench, suspendedRow } from '../../../test/fixtures/host-bench.ts';
import type { StoreReader } from '../../core/store.ts';
import type { Lineage } from '../../core/protocol.ts';
import { NOTHING_STORED } from '../../store/untouched.ts';
import { createSelection } from './selection.ts';

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
