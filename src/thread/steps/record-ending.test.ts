import { expect, test } from 'vitest';
import { createThreadBench } from '../../../test/fixtures/thread-bench.ts';
import { call, NEVER, type Part } from '../../../test/fixtures/scene.ts';
import { createWorkerBench } from '../../../test/fixtures/worker-bench.ts';
import { compileHooks } from '../hooks/hooks.ts';
import { recordContinuation } from './record-ending.ts';

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

test('A thread that is cancelled while its suspension is written has a result for each call that had started', () => {
  using bench = createWorkerBench({ risky: { says: [{ ...call('app_risky'), delay_ms: 1 }] } });
  bench.services.tools.add([
    {
      id: 'app/risky',
      description: 'Waits',
      inputSchema: {},
      idempotent: false,
      run: () => ({ abort: () => undefined }),
    },
  ]);
  const thread = bench.start('risky');
  bench.clock.advance(1);
  bench.commit();
  // As another runtime finds it: a person has to say what becomes of the call. The second time, nobody waits for that.
  bench.resume(thread);
  bench.commit();
  // The request has an id of its own.
  bench.clock.advance(1);
  bench.resume(thread);
  bench.host.receive({ type: 'cancel', threads: [thread], reason: 'no' });
  bench.settle();
  const ends = bench.log(thread).map(({ event_type }) => event_type);
  expect(ends.slice(ends.lastIndexOf('thread_suspended'))).toEqual([
    'thread_suspended',
    'tool_call_result',
    'thread_cancelled',
  ]);
});

test('Hooks hear of a thread that has handed over without outputs, as its ending has none', () => {
  const hook = { id: 'after', event: 'after_complete', action: { function: 'after' } } as const;
  const bench = createThreadBench(
    compileHooks({ directive: [hook], project: [], user: [], builtin: [], infra: [] }, 'my/directive'),
  );
  const services = { ...bench.services, forget: () => undefined, leave: () => undefined };
  bench.thread.outputs = { x: '1' };
  const successor = { thread: 2, threadId: 'thread-2' } as const;
  recordContinuation(bench.thread, services, { type: 'HAND_OVER', successor });
  bench.answer();
  const asked = bench.reports.find((report) => report.type === 'hostCall');
  expect(asked).toMatchObject({ input: { event: 'after_complete', context: { status: 'continued' } } });
  expect(JSON.stringify(asked)).not.toContain('outputs');
});
