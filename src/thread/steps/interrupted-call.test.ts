import { expect, test } from 'vitest';
import { createThreadBench } from '../../../test/fixtures/thread-bench.ts';
import type { Failure } from '../../core/errors.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import type { Tool } from '../../core/tool.ts';
import type { ToolRequest } from '../tools/tool-requests.ts';
import { decideInterrupted } from './interrupted-call.ts';
import { createToolRun } from './tool-run.ts';

test.each<[string, Result<Tool>, Failure]>([
  [
    'names no tool keeps the code of that',
    failed({ code: 'tool_unknown', message: 'There is none' }),
    { code: 'tool_unknown', message: 'The call was interrupted and has not been run again. There is none' },
  ],
  [
    'a person has denied has failed',
    ok({ idempotent: false } as Tool),
    { code: 'tool_failed', message: 'The call was interrupted and has not been run again. Denied by ann' },
  ],
])('An interrupted call that %s', (_name, tool, failure) => {
  const { thread } = createThreadBench();
  const call = { id: 'a', name: 'made_up', input: {} };
  const request: ToolRequest = { call, name: call.name, input: {}, tool, subject: undefined };
  thread.toolRun = createToolRun([request], true, 7);
  thread.answers = new Map([['interrupted 7 a', { granted: false, by: 'ann' }]]);
  const left: ToolRequest[] = [];
  decideInterrupted(thread, request, (decided) => void left.push(decided));
  expect(left.map(({ tool }) => tool)).toEqual([failed(failure)]);
});
