import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { createContender } from '../../bench/contenders/by-name.ts';

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
