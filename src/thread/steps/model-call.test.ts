import { expect, test } from 'vitest';
import { createThreadBench } from '../../../test/fixtures/thread-bench.ts';
import type { ModelRequest } from '../../core/provider.ts';
import { rebuildHistory } from '../conversation/history.ts';
import { callModel, settleCall } from './model-call.ts';
import { reserveBudget } from './reserve-budget.ts';
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
  thread.contextTokens = 700;
  callModel(thread, services, { type: 'RESERVED' });
  const answer = { role: 'assistant', text: 'hi', toolCalls: [], carry: CARRY };
  expect(requests).toMatchObject([{ messages: [answer], reasoning: { effort: 'low' }, inputTokens: 700 }]);
  expect(rebuildHistory(thread.lines).messages).toEqual([answer]);
});

test.each<[string, number, object, number]>([
  ['of the greatest length where there is room for that', 1_000, {}, 8_192],
  ['as long as the window has room', 15_000, {}, 5_000],
  ['that is not too short to be of use', 19_900, {}, 1_024],
  ['with room for its thoughts', 19_900, { reasoning: { budgetTokens: 2_048 } }, 3_072],
  ['of the greatest length where that is less than all this', 19_900, { maxOutputTokens: 512 }, 512],
])('What is asked for is an answer %s', (_title, contextTokens, more, expected) => {
  const { thread, services, answer, events } = createThreadBench();
  const model = { ...thread.plan.model, contextWindow: 20_000, maxOutputTokens: 8_192, ...more };
  thread.plan = { ...thread.plan, model };
  thread.contextTokens = contextTokens;
  reserveBudget(thread, services, { type: 'WITHIN_LIMITS', retrying: false });
  answer();
  expect(thread.maxOutputTokens).toBe(expected);
  // Cut off there, it is an answer all the same: no budget has cut it.
  thread.response = { text: 'On and on', toolCalls: [], usage, finishReason: 'length' };
  settleCall(thread, services, { type: 'ANSWERED' });
  expect(events().map(({ event_type }) => event_type)).not.toContain('cognition_in');
});
