import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import type { ToolCaller, ToolOutcome } from '../core/tool.ts';
import { createModuleTool } from './module-tools.ts';
import { strayRejection, type TracedCall } from './traced-call.ts';

const CALLER: ToolCaller = { threadId: 'thread-1', callId: 'call-1', projectPath: '/p', allows: () => true };

test.each<[string, (seen: () => void) => unknown]>([
  ['while it runs', (seen) => seen()],
  [
    'after it has waited',
    async (seen) => {
      await Promise.resolve();
      seen();
    },
  ],
  ['in a timer', (seen) => new Promise<void>((done) => void setTimeout(() => done(seen()), 0))],
])('What a tool does %s is traced to its call, and what follows on its answer is not', async (_, does) => {
  const trace = new AsyncLocalStorage<TracedCall>();
  const inside: unknown[] = [];
  const entry = {
    id: 'a/b',
    description: '',
    input: { type: 'object' },
    run: () => does(() => void inside.push(trace.getStore())),
  };
  const tool = createModuleTool(entry, 'here', trace);
  const outside = await new Promise((done) => {
    const answered = (outcome: ToolOutcome): void => done([outcome.ok, trace.getStore()]);
    tool.run({}, CALLER, answered);
  });
  expect(inside).toEqual([{ tool: 'a/b', threadId: 'thread-1', callId: 'call-1' }]);
  expect(outside).toEqual([true, undefined]);
});

test('A rejection that no call is known to have left is told as such', () => {
  expect(strayRejection(new Error('no'), undefined)).toEqual({
    code: 'tool_failed',
    message: 'A promise nobody waits for was rejected, by no tool call that is known: no',
  });
});
