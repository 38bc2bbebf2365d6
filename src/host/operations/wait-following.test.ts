import { expect, test } from 'vitest';
import { admit, idOf, scratchStore, step } from '../../../test/conformance/store-fixture.ts';
import { createHostBench, endingOf } from '../../../test/fixtures/host-bench.ts';
import type { StoreOp } from '../../core/store.ts';
import { createRecall } from '../rest/recall.ts';
import type { WaitOrder } from '../waits/waits.ts';
import { createWaitFollowing } from './wait-following.ts';

const [FIRST, NEXT] = [101, 102];

/** One handed over to another one, which failed; nobody has them in memory. */
function failedInSuccessor(): readonly StoreOp[] {
  const { type: _, parent: __, ceiling: ___, ...successor } = admit(NEXT, { root: FIRST });
  const status = (to: 'continued' | 'error') => ({ status: { to, ending: JSON.stringify(endingOf(to)) } });
  const end = step(FIRST, 1, status('continued'));
  return [admit(FIRST), { type: 'continue', end, successor }, step(NEXT, 1, status('error'))];
}

test.each<[string, WaitOrder['until'], answers: number]>([
  ['is over', 'failFast', 1],
  ['goes on, without the others of it,', 'all', 0],
])('A wait for a thread whose successor failed long ago %s at once: %s', (_name, until, count) => {
  using project = scratchStore();
  expect(project.store.commit(failedInSuccessor())).toEqual([true, true, true]);
  const { reader } = project;
  const bench = createHostBench({ coordination: { cancel_siblings_on_failure: true } }, { reader });
  const other = bench.spawn();
  const answers: unknown[] = [];
  createWaitFollowing({ host: bench.host, recall: createRecall(reader), isStopped: () => false })({
    threadIds: [idOf(FIRST), other.lineage.threadId],
    timeoutMs: undefined,
    until,
    isVisible: () => true,
    done: (answer) => answers.push(answer),
  });
  expect([answers.length, bench.cancelled()]).toEqual([count, [other.lineage.thread]]);
  bench.end(other, 'cancelled');
  const first = { threadId: idOf(FIRST), status: 'error', continuedAs: idOf(NEXT) };
  expect(answers).toMatchObject([{ ok: true, value: [first, { threadId: other.lineage.threadId }] }]);
});
