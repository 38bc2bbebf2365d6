import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { createContender } from './by-name.ts';
import type { Finished } from './contender.ts';
import { createInMemory } from './in-memory.ts';

const setup = { params: { threads: 20, turns: 3, llmMs: 0 }, sample: undefined, scratch: tmpdir() };
const DONE: Finished = { answers: 3, toolResults: 2, text: 'Found both: the words mean what they say.' };

// Those that load much are in test/long/contenders.test.ts.
test.each(['plain', 'p-limit', 'piscina-comlink'])(
  '%s does all of the work, and says that it stores nothing',
  async (name) => {
    await using contender = await createContender(name, setup);
    await contender.run(20);
    const metrics = { events_per_thread: 0, ledger_rows_per_thread: 0 };
    expect(await contender.inspect()).toEqual({ metrics, problems: [] });
  },
);

test.each<[string, Finished, string]>([
  ['too few turns', { ...DONE, answers: 2 }, '2 of 3 answers and 2 of 2 tool results'],
  ['too few tool results', { ...DONE, toolResults: 1 }, '3 of 3 answers and 1 of 2 tool results'],
  ['another answer', { ...DONE, text: 'Done.' }, 'ended with "Done."'],
])('A contender whose thread ends with %s has not won', async (_what, one, message) => {
  const contender = createInMemory(setup, {
    runThread: async (prompt) => (prompt.endsWith('.7') ? one : DONE),
  });
  await expect(contender.run(20)).rejects.toThrow(message);
});

test('No two threads have the same prompt', async () => {
  const seen: string[] = [];
  const runThread = async (prompt: string): Promise<Finished> => {
    seen.push(prompt);
    return DONE;
  };
  const contender = createInMemory(setup, { runThread });
  await contender.run(20);
  await contender.run(20);
  expect(new Set(seen).size).toBe(40);
});
