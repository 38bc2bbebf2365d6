import { expect, test } from 'vitest';
import { NEVER } from '../../../test/fixtures/scene.ts';
import { createThreadBench } from '../../../test/fixtures/thread-bench.ts';
import { createWorkerBench } from '../../../test/fixtures/worker-bench.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import type { Tool, ToolOutcome } from '../../core/tool.ts';
import { LENGTH_COUNTER } from '../../providers/token-counter.ts';
import { createToolRun } from './tool-run.ts';
import { abortTools } from './tool-step.ts';

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
