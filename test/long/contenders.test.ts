import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { cancelOfLibrary } from '../../bench/cancel-library.ts';
import { createContender, LIBRARIES_BY_NAME, loadLibrary } from '../../bench/contenders/by-name.ts';
import { answerIn, nestedThreads, toolRunning } from '../../bench/nested-threads.ts';
import { fanOutWork, modelDelay } from '../../bench/workload.ts';

// Each loads what takes up to seconds; the others are in bench/contenders/contenders.test.ts.
test.each([
  'skein-bare',
  'effect',
  'ai-sdk',
  'openai-agents',
  'langgraph-bare',
  'langgraph',
  'langgraph-functional',
  'mastra',
])('%s does all of the work, and has no event and no row of a ledger', async (name) => {
  const params = { threads: 20, turns: 3, llmMs: 0 };
  await using contender = await createContender(name, { params, sample: undefined, scratch: tmpdir() });
  await contender.run(20);
  const metrics = { events_per_thread: 0, ledger_rows_per_thread: 0 };
  expect(await contender.inspect()).toEqual({ metrics, problems: [] });
});

test.each(LIBRARIES_BY_NAME.names)('%s runs other threads in the tool of a thread, all at once', async (name) => {
  const library = await loadLibrary(name);
  const count = { ended: 0 };
  const child = nestedThreads(library, fanOutWork({ turns: 2, llmMs: 0 }), count);
  let live = 0;
  let most = 0;
  const run: typeof child = async (prompt) => {
    most = Math.max(most, ++live);
    const finished = await child(prompt);
    live--;
    return finished;
  };
  const inputs = ['one', 'two', 'three'].map((word) => ({ word }));
  const work = {
    turns: 2,
    callModel: () => modelDelay(0),
    answerOf: (turn: number) => (turn === 1 ? answerIn(turn, 'Three.', inputs) : answerIn(turn, 'All ended.')),
    callTool: toolRunning(run),
  };
  const parent = nestedThreads(library, work, count);
  expect(await parent('Start.')).toEqual({ answers: 2, toolResults: 3, text: 'All ended.' });
  expect(count.ended).toBe(4);
  expect(most).toBe(3);
  library.forget?.(1);
});

const CANCELLED = LIBRARIES_BY_NAME.names.filter((name) => name !== 'p-limit');

test.each(CANCELLED.flatMap((name) => ['tree', 'roots'].map((variant) => [name, variant] as const)))(
  '%s ends what waits for its model when a signal is aborted: %s',
  async (name, variant) => {
    const library = await loadLibrary(name);
    const { problems } = await cancelOfLibrary(
      library,
      { threads: 20, llmMs: 600_007, variant },
      { round: 20, settle: async () => undefined },
    );
    expect(problems).toEqual([]);
  },
);
