import { expect, test } from 'vitest';
import { call, NEVER, type Part } from '../../../test/fixtures/scene.ts';
import { createWorkerBench, type WorkerBench } from '../../../test/fixtures/worker-bench.ts';
import { NO_COST } from '../../core/limits.ts';
import { ownPart } from '../../core/packed-spec.ts';

const SLOW = 10;
const COMPACTION = 'rye/agent/threads/default_compaction';
const echo = (input_tokens: number): Part['says'][number] => {
  return { ...call('nothing', { text: 'x'.repeat(5_000) }), usage: { input_tokens }, delay_ms: SLOW };
};
const PARTS: Record<string, Part> = {
  long: { says: [echo(50_000), echo(110_000), NEVER] },
  leaf: { says: [NEVER] },
};

test.each([
  ['still sums up', 'completed', 1, 'running.calling'],
  ['was cancelled with the thread', 'cancelled', 2, 'running.compacting'],
] as const)('A compaction is begun once, also by a thread that is read back meanwhile: a child that %s', (...row) => {
  const [, status, spawns, state] = row;
  using bench = createWorkerBench(PARTS);
  const thread = bench.start('long');
  for (let turn = 0; turn < 2; turn++) pass(bench, SLOW);
  answer(bench, 'spawned', undefined);
  const { threadId } = bench.lineage(bench.admitChild(thread, 'leaf'));
  answer(bench, 'spawn', { threadId });
  bench.host.receive({ type: 'suspend', thread, reason: 'shutdown', now: true });
  bench.commit();
  bench.resume(thread);
  bench.commit();
  const [first, again] = bench.said('spawned');
  expect(again).toEqual({ ...first, ref: again?.ref });
  expect(bench.said('spawn').map(({ spec }) => ownPart(spec).callId)).toEqual([first?.callId]);
  answer(bench, 'spawned', { threadId, directive: COMPACTION });
  const ending = { status, outputs: { summary: 'It said x.' }, text: '', error: undefined, cost: NO_COST };
  answer(bench, 'wait', [{ threadId, status, ending }]);
  expect([bench.said('spawn').length, bench.host.stateOf(thread)]).toEqual([spawns, state]);
});

/** Answers what was asked last. */
function answer(bench: WorkerBench, type: 'spawned' | 'spawn' | 'wait', value: unknown): void {
  bench.host.receive({ type: 'answer', ref: bench.said(type).at(-1)?.ref ?? 0, value });
  pass(bench, 0);
}

function pass(bench: WorkerBench, ms: number): void {
  bench.clock.advance(ms);
  bench.settle();
}
