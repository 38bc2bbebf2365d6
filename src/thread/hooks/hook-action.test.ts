import { expect, test } from 'vitest';
import { call, NEVER } from '../../../test/fixtures/scene.ts';
import { createWorkerBench, type WorkerBench } from '../../../test/fixtures/worker-bench.ts';
import { ok } from '../../core/result.ts';

const SLOW = 10;
const PATIENCE = 5_000;

/** A worker whose thread calls a tool and hangs then; a hook on `event` starts a thread and waits for it. */
function waitingAt(event: string): WorkerBench {
  const spawn = `<execute item_id="rye/agent/threads/thread_directive"><param name="directive_name" value="leaf"/></execute>`;
  const hooks = `<hook id="waits" event="${event}" timeout_ms="${PATIENCE}">${spawn}</hook>`;
  const says = [{ ...call('app_quick'), delay_ms: SLOW }, NEVER];
  const bench = createWorkerBench({ leaf: { says: [NEVER] }, task: { hooks, says } });
  bench.services.tools.add([
    {
      id: 'app/quick',
      description: 'Is done at once',
      inputSchema: {},
      idempotent: true,
      run(_input, _caller, done) {
        done(ok('done'));
        return undefined;
      },
    },
  ]);
  return bench;
}

/** Lets everything be done that needs no time. */
function settle(bench: WorkerBench): void {
  bench.commit();
  bench.ticks.endAll();
  bench.commit();
}

test.each([
  ['before_step', 'running.beforeStep', 1],
  ['before_tool', 'running.askingHooks', 1],
  // It runs beside what the thread does.
  ['after_tool', 'running.acting', 0],
])(
  'A hook on %s that waits for a thread (%s) gives the slot up %i times, and waits as long as it may',
  (event, state, yields) => {
    using bench = waitingAt(event);
    const thread = bench.start('task');
    bench.clock.advance(SLOW);
    settle(bench);
    const [asked] = bench.said('spawn');
    const child = bench.admitChild(thread, 'leaf');
    const { threadId } = bench.lineage(child);
    bench.host.receive({ type: 'answer', ref: asked?.ref ?? 0, value: { threadId } });
    settle(bench);
    expect(bench.host.stateOf(thread)).toBe(state);
    expect(bench.said('wait')).toMatchObject([{ thread, threadIds: [threadId], timeoutMs: PATIENCE }]);
    expect(bench.said('yield').map((yielded) => yielded.thread)).toEqual(Array(yields).fill(thread));
  },
);
