import { describe, expect, test, vi } from 'vitest';
import type { ThreadNo } from '../../core/ids.ts';
import { createToolWaits } from './tool-waits.ts';

// Any number is a thread's.
const THREAD = 7 as ThreadNo;
const CHAIN = [['rye.execute.tool.mcp.s.*']];

function bench(ready: () => Promise<void> | undefined, isStopping = false) {
  const go = vi.fn<() => void>();
  const waits = createToolWaits({ mcp: { ready }, isStopping: () => isStopping });
  return { go, waits };
}

describe('A thread that starts', () => {
  test('goes on in the same tick when its tools are known', () => {
    const { go, waits } = bench(() => undefined);
    waits.before(THREAD, CHAIN, go);
    expect(go).toHaveBeenCalledTimes(1);
  });

  test('waits for its tools', async () => {
    const tools = Promise.withResolvers<void>();
    const { go, waits } = bench(() => tools.promise);
    waits.before(THREAD, CHAIN, go);
    await Promise.resolve();
    expect(go).not.toHaveBeenCalled();
    tools.resolve();
    await tools.promise;
    expect(go).toHaveBeenCalledTimes(1);
  });

  test('goes on at once, and once, when it is hurried', async () => {
    const tools = Promise.withResolvers<void>();
    const { go, waits } = bench(() => tools.promise);
    waits.before(THREAD, CHAIN, go);
    waits.hurry(THREAD);
    expect(go).toHaveBeenCalledTimes(1);
    waits.hurry(THREAD);
    tools.resolve();
    await tools.promise;
    expect(go).toHaveBeenCalledTimes(1);
  });

  test('waits for nothing when it is to be stopped', () => {
    const ready = vi.fn<() => Promise<void>>(() => new Promise(() => {}));
    const { go, waits } = bench(ready, true);
    waits.before(THREAD, CHAIN, go);
    expect([go.mock.calls.length, ready.mock.calls.length]).toEqual([1, 0]);
  });
});
