import { expect, test } from 'vitest';
import { admit, END, idOf, scratchStore, step, type ScratchStore } from '../../../test/conformance/store-fixture.ts';
import { createHostBench } from '../../../test/fixtures/host-bench.ts';
import type { ThreadNo } from '../../core/ids.ts';
import type { StoreOp, ThreadFilter } from '../../core/store.ts';
import { createRecall } from '../rest/recall.ts';
import { createOperations } from './dispatcher.ts';
import { liveThreads } from './live-threads.ts';

const suspended = (thread: ThreadNo): StoreOp => step(thread, 1, { status: { to: 'suspended', reason: 'user' } });
const ended = (thread: ThreadNo): StoreOp => step(thread, 1, { status: END });

/** 1 and 3 below it have ended, 4 below that is suspended, and so is 5, which is below nobody. */
const FAMILY: readonly StoreOp[] = [
  admit(1, { ceiling: 10 }),
  admit(2, { parent: 1, ceiling: 0 }),
  admit(3, { parent: 1, ceiling: 0 }),
  admit(4, { parent: 3, ceiling: 0 }),
  admit(5),
  ...[4, 5].map(suspended),
  ...[2, 3, 1].map(ended),
];

/** 1 handed over to 2, which has ended; 3 was spawned by 1, and is suspended. */
const CHAIN: readonly StoreOp[] = [admit(1), admit(3, { parent: 1, ceiling: 0 }), suspended(3), continued(), ended(2)];

function continued(): StoreOp {
  const { type: _, parent: __, ceiling: ___, ...successor } = admit(2, { root: 1 });
  const ending = JSON.stringify({ status: 'continued' });
  return { type: 'continue', end: step(1, 1, { status: { to: 'continued', ending } }), successor };
}

test.each<[string, readonly StoreOp[], ThreadNo, threads: number]>([
  ['what is open far below one', FAMILY, 1, 1],
  ['what is open below a child of it', FAMILY, 3, 1],
  ['nobody beside one with nothing below it', FAMILY, 2, 0],
  ['what those before one have left open', CHAIN, 2, 1],
  ['what one that handed over has left open', CHAIN, 1, 1],
])('Killing a thread that an earlier runtime has ended ends %s', async (_, ops, thread, threads) => {
  using project = scratchStore();
  expect(project.store.commit(ops).filter((result) => result !== true)).toEqual([]);
  const { killed, asked } = await kill(project, thread);
  expect(killed).toMatchObject(threads > 0 ? { success: true, threads } : { success: false, code: 'thread_ended' });
  // Without a parent, all threads there are would be looked at.
  expect(asked.filter(({ parent }) => parent === undefined)).toEqual([]);
});

/** Kills a thread in a runtime that has just started; also how it looked for others. */
async function kill({ reader }: ScratchStore, thread: ThreadNo) {
  const asked: ThreadFilter[] = [];
  const threads = (filter: ThreadFilter) => {
    asked.push(filter);
    return reader.threads(filter);
  };
  const bench = createHostBench({}, { reader: { ...reader, threads } });
  const nobody = { workers: async () => [], machines: () => undefined };
  const { host } = bench;
  const sources = { host, recall: createRecall(reader), isStopped: () => false };
  const operations = createOperations(liveThreads({ ...sources, ...nobody }));
  const answer = operations.call('kill_thread', { thread_id: idOf(thread) });
  bench.commit();
  return { killed: await answer, asked };
}
