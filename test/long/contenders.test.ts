import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { createContender, LIBRARIES_BY_NAME, loadLibrary } from '../../bench/contenders/by-name.ts';
import { answerIn, nestedThreads, toolRunning } from '../../bench/nested-threads.ts';
import { fanOutWork, lookUp } from '../../bench/workload.ts';

// Each loads what takes up to seconds; the others are in bench/contenders/contenders.test.ts.
test.each(['skein-bare', 'effect', 'ai-sdk', 'openai-agents', 'langgraph-bare', 'langgraph', 'mastra'])(
  '%s does all of the work, and keeps no event and no row of a ledger',
  async (name) => {
    const params = { threads: 20, turns: 3, llmMs: 0 };
    await using contender = await createContender(name, { params, sample: undefined, scratch: tmpdir() });
    await contender.run(20);
    const metrics = { events_per_thread: 0, ledger_rows_per_thread: 0 };
    expect(await contender.inspect()).toEqual({ metrics, problems: [] });
  },
);

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
    llmMs: 0,
    answerOf: (turn: number) => (turn === 1 ? answerIn(turn, 'Three.', inputs) : answerIn(turn, 'All ended.')),
    callTool: toolRunning(run),
  };
  const parent = nestedThreads(library, work, count);
  expect(await parent('Start.')).toEqual({ answers: 2, toolResults: 3, text: 'All ended.' });
  expect(count.ended).toBe(4);
  expect(most).toBe(3);
  library.forget?.(1);
});

test.each(LIBRARIES_BY_NAME.names)(
  '%s ends a thread that waits for its model when its signal is aborted',
  async (name) => {
    const library = await loadLibrary(name);
    const answerOf = (turn: number) => answerIn(turn, 'Done.');
    const run = library.threadsOf({ turns: 1, llmMs: 600_007, answerOf, callTool: lookUp });
    const controller = new AbortController();
    const ended = run('Wait.', controller.signal).then(
      ({ text }) => text,
      () => 'rejected',
    );
    setImmediate(() => controller.abort());
    expect(await ended).not.toBe('Done.');
  },
);
