import { expect, test } from 'vitest';
import { NEVER, type Part } from '../../test/fixtures/scene.ts';
import { createWorkerBench } from '../../test/fixtures/worker-bench.ts';

const PARTS: Record<string, Part> = {
  plain: { says: [NEVER] },
  hooked: { hooks: '<hook id="after" event="after_complete"><action function="after"/></hook>', says: [NEVER] },
};

test('The host hears with the end of a thread that hooks run after it, and when they are done', () => {
  using bench = createWorkerBench(PARTS);
  const thread = bench.start('hooked');
  bench.host.receive({ type: 'cancel', threads: [thread], reason: 'no' });
  bench.commit();
  expect(bench.reports.slice(-2)).toMatchObject([
    { type: 'ended', thread, hooksLeft: true },
    { type: 'hostCall', name: 'after' },
  ]);
  const [asked] = bench.said('hostCall');
  bench.host.receive({ type: 'answer', ref: asked?.ref ?? 0, value: undefined });
  expect(bench.reports.at(-1)).toEqual({ type: 'hooksDone', thread });
});

test('The host hears of nothing more than the end of a thread without such hooks', () => {
  using bench = createWorkerBench(PARTS);
  const thread = bench.start('plain');
  bench.host.receive({ type: 'cancel', threads: [thread], reason: 'no' });
  bench.commit();
  expect(Object.keys(bench.reports.at(-1) ?? {})).toEqual(['type', 'thread', 'ending']);
});
