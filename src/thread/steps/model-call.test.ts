import { expect, test } from 'vitest';
import { createThreadBench } from '../../../test/fixtures/thread-bench.ts';
import type { ModelRequest } from '../../core/provider.ts';
import { rebuildHistory } from '../conversation/history.ts';
import { callModel, settleCall } from './model-call.ts';
import { createModelSink } from '../services/model-sink.ts';
import type { ThreadPlan } from '../plan/plan.ts';

const CARRY = { provider: 'claude/messages', parts: [{ type: 'thinking', thinking: 'hm', signature: 's' }] };
const usage = { inputTokens: 5, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 };

test('What a provider wants back is in the next request and in the log; how much is to be thought in every request', () => {
  const { thread, services } = createThreadBench();
  const requests: ModelRequest[] = [];
  const provider = {
    id: 'claude',
    call: (request: ModelRequest) => {
      requests.push(request);
      return { abort: () => undefined };
    },
  };
  const model = { provider, model: 'm', reference: 'claude:m', maxOutputTokens: 9, reasoning: { effort: 'low' } };
  // Of a plan, this is what a call looks at.
  thread.plan = { ...thread.plan, model, palette: { definitions: [] } } as unknown as ThreadPlan;
  thread.sink = createModelSink(thread, services);
  thread.response = { text: 'hi', toolCalls: [], usage, finishReason: 'stop', carry: CARRY };
  settleCall(thread, services, { type: 'ANSWERED' });
  callModel(thread, services, { type: 'RESERVED' });
  const answer = { role: 'assistant', text: 'hi', toolCalls: [], carry: CARRY };
  expect(requests).toMatchObject([{ messages: [answer], reasoning: { effort: 'low' } }]);
  expect(rebuildHistory(thread.lines).messages).toEqual([answer]);
});
