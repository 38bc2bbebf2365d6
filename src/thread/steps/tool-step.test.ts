import { expect, test } from 'vitest';
import { NEVER } from '../../../test/fixtures/scene.ts';
import { createWorkerBench } from '../../../test/fixtures/worker-bench.ts';
import { ok } from '../../core/result.ts';
import type { ToolOutcome } from '../../core/tool.ts';

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
