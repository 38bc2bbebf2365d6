import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { idOf } from '../../../test/conformance/store-fixture.ts';
import type { ThreadNo } from '../../core/ids.ts';
import { createEntryMap, type EntryMap, type Reference } from './entry-map.ts';
import { newEntry, type ThreadEntry } from './thread-table.ts';

describe('The entries of a table', () => {
  test('at rest are there for as long as somebody holds them, and then no more', () => {
    const { map, collect } = open();
    const entry = add(map, 1);
    map.letGo(entry);
    expect([map.get(1), map.byId(entry.lineage.threadId), [...map.values()]]).toEqual([entry, entry, [entry]]);
    collect();
    expect([map.get(1), map.byId(entry.lineage.threadId), [...map.values()]]).toEqual([undefined, undefined, []]);
  });

  test('that are kept again are held', () => {
    const { map, collect } = open();
    const entry = add(map, 1);
    map.letGo(entry);
    map.keep(entry);
    collect();
    expect([map.get(1), map.size()]).toEqual([entry, 1]);
  });

  test('that were read back are the ones that count', () => {
    const { map, collect } = open();
    map.letGo(add(map, 1));
    collect();
    const second = add(map, 1);
    expect([map.get(1), map.byId(second.lineage.threadId), [...map.values()]]).toEqual([second, second, [second]]);
  });

  test('at rest that nobody holds leave memory with all that led to them', async () => {
    const map = createEntryMap((entry) => new WeakRef(entry));
    for (let thread = 1; thread <= 1_000; thread++) map.letGo(add(map, thread));
    const kept = add(map, 1_001);
    const collect = collector();
    while (map.size() > 1) {
      collect();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([...map.values()]).toEqual([kept]);
    expect(map.byId(idOf(1))).toBeUndefined();
  });
});

function open(): { map: EntryMap; collect: () => void } {
  const references: { entry: ThreadEntry | undefined }[] = [];
  const referTo = (entry: ThreadEntry): Reference => {
    const reference: { entry: ThreadEntry | undefined } = { entry };
    references.push(reference);
    return { deref: () => reference.entry };
  };
  const collect = (): void => references.forEach((reference) => (reference.entry = undefined));
  return { map: createEntryMap(referTo), collect };
}

function add(map: EntryMap, thread: ThreadNo): ThreadEntry {
  const lineage = { thread, threadId: idOf(thread), parent: undefined, parentId: undefined, root: thread };
  const entry = newEntry(lineage, undefined);
  map.keep(entry);
  return entry;
}

/** The engine's own collector, which a test process has no name for. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  // What this name stands for once the flag is set.
  return runInNewContext('gc') as () => void;
}
