import { describe, expect, test } from 'vitest';
import { createHostBench, specWith } from '../../test/fixtures/host-bench.ts';
import { createHostFunctions } from './host-functions.ts';
import { createQuestionHandler } from './questions.ts';

describe('A spawn that its worker abandons', () => {
  test('before it is admitted ends the child without starting it', () => {
    const { bench, parent, handler } = open();
    handler.ask(0, { type: 'spawn', ref: 1, thread: parent.lineage.thread, spec: specWith(1) });
    handler.abandon(0, 1);
    bench.commit();
    const child = [...bench.host.table.live()].find((entry) => entry !== parent);
    expect(child).toMatchObject({ phase: 'ended', ending: { status: 'cancelled' } });
    expect(bench.started()).toEqual([parent.lineage.thread]);
    expect(bench.sent.filter(({ type }) => type === 'answer')).toEqual([]);
  });

  test('after its answer leaves the child alone', () => {
    const { bench, parent, handler } = open();
    handler.ask(0, { type: 'spawn', ref: 1, thread: parent.lineage.thread, spec: specWith(1) });
    bench.commit();
    handler.abandon(0, 1);
    bench.commit();
    expect(bench.started()).toHaveLength(2);
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
  handler.abandon(0, 1);
  expect(parent.openWaits).toBe(1);
});

function open() {
  const bench = createHostBench();
  const parent = bench.spawn();
  const recall = (): never => {
    throw new Error('nothing is recalled here');
  };
  return {
    bench,
    parent,
    handler: createQuestionHandler({ host: bench.host, functions: createHostFunctions(), recall }),
  };
}
