import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../config/load.ts';
import { SYSTEM_DIR } from '../config/default-places.ts';
import { SkeinError, type SkeinErrorCode } from '../core/errors.ts';
import type { ToolOutcome } from '../core/tool.ts';
import { createItemBench, type ItemBench } from '../tools/fixtures/item-bench.ts';
import { createMcpThreads, type McpThreads, type RuntimeOfThreads } from './mcp-threads.ts';

/** A runtime that the test lets fail. */
type Played = { readonly runtime: RuntimeOfThreads; failure: SkeinErrorCode | undefined; closed: number };

function playedRuntime(): Played {
  const played: Played = {
    failure: undefined,
    closed: 0,
    runtime: {
      orchestrator: {
        // Every operation is answered as this one is.
        callForModel: async (name, input) => {
          if (played.failure) throw new SkeinError(played.failure, 'as the test wants it');
          return { success: true, asked: [name, input] } as never;
        },
      },
      spawn: () => Promise.reject(new Error('Nobody spawns here')),
      waitAll: () => Promise.reject(new Error('Nobody waits here')),
      close: async () => void played.closed++,
    },
  };
  return played;
}

describe('The runtime of MCP clients', () => {
  let bench: ItemBench;
  let started: Played[];
  let threads: McpThreads;
  beforeEach(() => {
    bench = createItemBench();
    started = [];
    threads = createMcpThreads({
      config: loadConfig({ systemDir: SYSTEM_DIR }).config,
      items: () => bench.services.items,
      async start() {
        // Two can't hold one project.
        if (started.some(({ closed }) => closed === 0)) throw new SkeinError('project_locked', 'It is held');
        const played = playedRuntime();
        started.push(played);
        return played.runtime;
      },
    });
  });
  afterEach(() => bench[Symbol.dispose]());

  function ask(): Promise<ToolOutcome> {
    const tool = threads.tool('rye/agent/threads/orchestrator');
    const input = { operation: 'resume_thread', thread_id: 'a' };
    return new Promise((done) => void tool?.run(input, { ...bench.caller(), threadId: undefined }, done));
  }

  test('is asked as a model asks, and started once', async () => {
    const answer = { ok: true, value: { success: true, asked: ['resume_thread', { thread_id: 'a' }] } };
    expect(await Promise.all([ask(), ask()])).toEqual([answer, answer]);
    expect(started).toHaveLength(1);
  });

  test('is closed and replaced once it has stopped by itself', async () => {
    await ask();
    if (started[0]) started[0].failure = 'runtime_closed';
    const refusal = { ok: false, failure: { code: 'runtime_closed' } };
    expect(await Promise.all([ask(), ask()])).toMatchObject([refusal, refusal]);
    expect(started[0]?.closed).toBeGreaterThan(0);
    expect(await Promise.all([ask(), ask()])).toMatchObject([{ ok: true }, { ok: true }]);
    expect([started.length, started[1]?.closed]).toEqual([2, 0]);
    await threads.close();
    expect(started[1]?.closed).toBe(1);
  });

  test('is not started again once it is closed', async () => {
    await ask();
    await threads.close();
    expect(await ask()).toMatchObject({ ok: false, failure: { code: 'runtime_closed' } });
    expect(started).toHaveLength(1);
  });

  test('goes on after any other failure', async () => {
    await ask();
    if (started[0]) started[0].failure = 'store_failed';
    expect(await ask()).toMatchObject({ ok: false, failure: { code: 'store_failed' } });
    if (started[0]) started[0].failure = undefined;
    expect(await ask()).toMatchObject({ ok: true });
    expect([started.length, started[0]?.closed]).toEqual([1, 0]);
  });
});
