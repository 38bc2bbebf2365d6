import { describe, expect, test } from 'vitest';
import { createHostBench, specWith, type Resilience } from '../../test/fixtures/host-bench.ts';
import { createHostFunctions } from './host-functions.ts';
import { createOperations } from './operations/dispatcher.ts';
import { liveThreads } from './operations/live-threads.ts';
import { createQuestionHandler } from './questions.ts';

describe('A spawn that its worker abandons', () => {
  test('before it is admitted ends the child without starting it', () => {
    const { bench, parent, handler } = open();
    handler.ask(0, { type: 'spawn', ref: 1, thread: parent.lineage.thread, spec: specWith(1) });
    handler.abandon(0, { ref: 1, parent: parent.lineage.thread });
    bench.commit();
    const child = [...bench.host.table.live()].find((entry) => entry !== parent);
    expect(child).toMatchObject({ phase: 'ended', ending: { status: 'cancelled' } });
    expect(bench.started()).toEqual([parent.lineage.thread]);
    expect(bench.sent.filter(({ type }) => type === 'answer')).toEqual([]);
  });

  test('while its answer is on the way cancels the child, which its parent will never know', () => {
    const { bench, parent, handler } = open();
    const { thread } = parent.lineage;
    for (const ref of [1, 2, 3]) handler.ask(0, { type: 'spawn', ref, thread, spec: specWith(1) });
    bench.commit();
    const children = bench.host.table.childrenOf(parent);
    handler.abandon(0, { ref: 2, parent: thread });
    expect(bench.cancelled()).toEqual([children[1]?.lineage.thread]);
    expect(children.map(({ cancelReason }) => cancelReason)).toEqual([
      undefined,
      `parent ${parent.lineage.threadId} gave up the call that spawned it`,
      undefined,
    ]);
  });

  test('while its answer is on the way cancels the child also when its parent ends right after', () => {
    const { bench, parent, handler } = open({ child_policy: { on_parent_cancel: 'allow' } });
    const { thread } = parent.lineage;
    handler.ask(0, { type: 'spawn', ref: 1, thread, spec: specWith(1) });
    bench.commit();
    handler.abandon(0, { ref: 1, parent: thread });
    bench.end(parent, 'cancelled');
    expect(bench.cancelled()).toHaveLength(1);
  });

  test('of one worker cancels no child that another worker asked for with the same number', () => {
    const { bench, parent, handler } = open();
    const { thread } = parent.lineage;
    handler.ask(1, { type: 'spawn', ref: 1, thread, spec: specWith(1) });
    bench.commit();
    handler.abandon(0, { ref: 1, parent: thread });
    expect(bench.cancelled()).toEqual([]);
  });
});

test('a wait that is answered at once leaves nothing to give up', () => {
  const { bench, parent, handler } = open();
  const { thread } = parent.lineage;
  handler.ask(0, { type: 'wait', ref: 1, thread, threadIds: [], timeoutMs: undefined, failFast: false });
  expect(bench.sent.at(-1)).toMatchObject({ type: 'answer', ref: 1 });
  // Giving it up now would close a wait that is not its own.
  parent.openWaits = 1;
  handler.abandon(0, { ref: 1 });
  expect(parent.openWaits).toBe(1);
});

function open(resilience: Resilience = {}) {
  const bench = createHostBench(resilience);
  const parent = bench.spawn();
  const recall = (): never => {
    throw new Error('nothing is recalled here');
  };
  return {
    bench,
    parent,
    handler: createQuestionHandler({
      host: bench.host,
      functions: createHostFunctions(),
      operations: createOperations(liveThreads({ host: bench.host, recall, isStopped: () => false })),
      recall,
    }),
  };
}

test('The end of a child is told to its parent before the wait for it is answered', () => {
  const { bench, parent, handler } = open();
  const { thread } = parent.lineage;
  handler.ask(0, { type: 'spawn', ref: 1, thread, spec: specWith(1) });
  bench.commit();
  const child = bench.host.table.childrenOf(parent)[0];
  if (!child) throw new Error('there is no child');
  const threadIds = [child.lineage.threadId];
  handler.ask(0, { type: 'wait', ref: 2, thread, threadIds, timeoutMs: undefined, failFast: false });
  bench.end(child);
  const told = bench.sent.map(({ type }) => type).filter((type) => type === 'childEnded' || type === 'answer');
  expect(told).toEqual(['answer', 'childEnded', 'answer']);
});
