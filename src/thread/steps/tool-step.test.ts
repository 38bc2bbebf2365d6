import { describe, expect, test } from 'vitest';
import { NEVER } from '../../../test/fixtures/scene.ts';
import { createThreadBench } from '../../../test/fixtures/thread-bench.ts';
import { createWorkerBench, type WorkerBench } from '../../../test/fixtures/worker-bench.ts';
import { decodeEvents } from '../../core/events.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import type { Tool, ToolOutcome } from '../../core/tool.ts';
import { LENGTH_COUNTER } from '../../providers/token-counter.ts';
import { createToolRun } from './tool-run.ts';
import { abortTools } from './tool-step.ts';

type Called = {
  readonly bench: WorkerBench;
  readonly finish: (name: string) => void;
  /** Results that are on disk. */
  readonly stored: () => (string | undefined)[];
};

test.each([
  ['goes on with the next call', undefined, 2],
  ['that is cancelled starts no other call, though its turn to hear of that has not come', 'no', 1],
])('A thread %s when one is done', (_, cancelReason, started) => {
  const twice = [1, 2].map((step) => ({ name: 'app_slow', input: { step } }));
  const concurrency = { max_concurrent_tools: 1 };
  using bench = createWorkerBench({ busy: { says: [{ tool_calls: twice, delay_ms: 1 }, NEVER] } }, { concurrency });
  const answers: ((outcome: ToolOutcome) => void)[] = [];
  bench.services.tools.add([
    {
      id: 'app/slow',
      description: 'Waits',
      inputSchema: {},
      idempotent: true,
      run(_input, _caller, done) {
        answers.push(done);
        return { abort: () => undefined };
      },
    },
  ]);
  const no = bench.start('busy');
  bench.clock.advance(1);
  bench.commit();
  bench.ticks.endAll();
  const thread = bench.host.get(no);
  if (thread) thread.cancelReason = cancelReason;
  answers[0]?.(ok('done'));
  expect(answers).toHaveLength(started);
});

describe('What a call has given', () => {
  /** A thread that has called tools once each; the test lets them be done. */
  function calling(names: readonly string[], hooks?: string): Called {
    const tool_calls = names.map((name) => ({ name: `app_${name}`, input: {} }));
    const bench = createWorkerBench({ busy: { ...(hooks && { hooks }), says: [{ tool_calls, delay_ms: 1 }, NEVER] } });
    const done = new Map<string, (outcome: ToolOutcome) => void>();
    const tool = { description: 'Waits', inputSchema: {}, idempotent: true } as const;
    bench.services.tools.add(
      names.map((name): Tool => {
        const run: Tool['run'] = (_input, _caller, settle) => {
          done.set(name, settle);
          return { abort: () => undefined };
        };
        return { ...tool, id: `app/${name}`, run };
      }),
    );
    const thread = bench.start('busy');
    bench.clock.advance(1);
    bench.settle();
    return {
      bench,
      finish: (name) => done.get(name)?.(ok(name)),
      stored: () =>
        bench
          .log(thread)
          .flatMap(({ event_type, payload }) => (event_type === 'tool_call_result' ? [payload.output] : [])),
    };
  }
  const steps = ({ bench }: Called): number => bench.steps.length;

  test('is on disk while another call of its answer still runs', () => {
    const it = calling(['quick', 'slow']);
    using bench = it.bench;
    it.finish('quick');
    bench.settle();
    expect(it.stored()).toEqual(['quick']);
  });

  test('is on disk while its hooks run', () => {
    const it = calling(['quick'], '<hook id="looks" event="after_tool"><action function="look"/></hook>');
    using bench = it.bench;
    it.finish('quick');
    bench.settle();
    expect(it.stored()).toEqual(['quick']);
  });

  test.each([[['one']], [['one', 'two', 'three']]])(
    'at the same moment as the others (%j) takes no step of its own',
    (names) => {
      const it = calling(names);
      using bench = it.bench;
      const before = steps(it);
      for (const name of names) it.finish(name);
      bench.settle();
      expect([it.stored(), steps(it) - before]).toEqual([names, 1]);
    },
  );
});

test('A call that is refused has its result on disk together with the starts of its answer', () => {
  const control = 'item_id="rye/agent/threads/internal/control"><param name="action" value="skip"/>';
  const refuses = `<hook id="no" event="before_tool"><condition path="input.by" op="eq" value="a"/><execute ${control}</execute></hook>`;
  const tool_calls = ['a', 'b'].map((by) => ({ name: 'app_send', input: { by } }));
  using bench = createWorkerBench({ busy: { hooks: refuses, says: [{ tool_calls, delay_ms: 1 }, NEVER] } });
  let runs = 0;
  bench.services.tools.add([
    {
      id: 'app/send',
      description: 'Sends',
      inputSchema: {},
      idempotent: false,
      run() {
        runs++;
        return { abort: () => undefined };
      },
    },
  ]);
  bench.start('busy');
  bench.clock.advance(1);
  expect(runs).toBe(0);
  const lines = bench.steps.at(-1)?.lines ?? '';
  expect(decodeEvents(lines).map(({ event_type }) => event_type)).toEqual(
    expect.arrayContaining(['tool_call_start', 'tool_call_start', 'tool_call_result']),
  );
  bench.commit();
  expect(runs).toBe(1);
});

test('All results of an answer that is broken off count towards the size of the conversation', () => {
  const { thread, services } = createThreadBench();
  const tool = failed({ code: 'not_available', message: 'There is no such tool' });
  const requests = ['a', 'b'].map((id) => {
    return { call: { id, name: 'read', input: {} }, name: 'read', input: {}, tool, subject: undefined };
  });
  const run = createToolRun(requests, true);
  run.results[0] = { text: 'x'.repeat(30_000), isError: false };
  thread.toolRun = run;
  abortTools({ thread, services }, 'limit_hit');
  const [there, broken] = thread.messages.map(({ text }) => LENGTH_COUNTER.count(text));
  expect([there, broken]).toEqual([10_000, expect.any(Number)]);
  expect(thread.contextTokens).toBe((there ?? 0) + (broken ?? 0));
});

test.each<[string, Result<Tool>, string]>([
  ['that runs', ok({ idempotent: true } as Tool), 'The call was interrupted (limit_hit)'],
  [
    'that names no tool',
    failed({ code: 'tool_unknown', message: 'there is none' }),
    'error [tool_unknown]: there is none',
  ],
  ['that is refused', failed({ code: 'permission_denied', message: 'no' }), 'error [permission_denied]: no'],
])('A call %s has its own result where the calls of its answer are broken off', (_name, tool, error) => {
  const bench = createThreadBench();
  const call = { id: 'a', name: 'made_up', input: {} };
  bench.thread.toolRun = createToolRun([{ call, name: call.name, input: {}, tool, subject: undefined }], true);
  abortTools(bench, 'limit_hit');
  expect(bench.events().map(({ payload }) => payload)).toEqual([{ call_id: 'a', error, duration_ms: 0 }]);
  expect(bench.thread.messages).toMatchObject([{ text: error, isError: true }]);
});
