import type { EventPayloads } from '../../core/events.ts';
import type { ModelRequest, ModelResponse, TokenUsage } from '../../core/provider.ts';
import { formatUsd, nanoToUsd } from '../../core/money.ts';
import { priceOf } from '../../providers/pricing.ts';
import { markCheckpoint } from './checkpoint-triggers.ts';
import { settleSize } from '../conversation/context-size.ts';
import { noteSent } from '../tiers/assembly-session.ts';
import { flatMarks } from '../tiers/flat-marks.ts';
import { addUserMessage } from '../conversation/conversation.ts';
import type { Effect } from './effects.ts';
import { recordOverspend } from './overspend.ts';
import { addSettlement, longestAnswer, mayCall } from './reserve-budget.ts';
import type { Services } from '../services/services.ts';
import { attemptOf, type Thread } from '../thread.ts';
import { createToolRun, mustRecord, startEvent } from './tool-run.ts';

/** Sends the request. Nothing is sent for a thread whose cancellation is on its way. */
export const callModel: Effect = (thread, services) => {
  const { sink, plan } = thread;
  if (thread.cancelReason !== undefined || !sink) return;
  // It may have been closed while the reservation was on its way.
  if (!mayCall(thread, services)) return thread.send({ type: 'PROVIDER_CLOSED' });
  thread.modelFailure = undefined;
  showCall(thread, services);
  if (thread.assembly) noteSent(thread.assembly, plan.model.reference, services.clock.now());
  thread.call = plan.model.provider.call(requestOf(thread, services), sink);
};

/** What is said, and where its stable part ends: a request in tiers as it is laid out, or the conversation as it stands. */
function requestOf(thread: Thread, services: Services): ModelRequest {
  const { plan, lineage } = thread;
  const laidOut = thread.assembly?.request;
  const { system, messages } = laidOut ?? thread;
  return {
    model: plan.model.model,
    system,
    messages,
    cacheMarks: laidOut ? laidOut.cacheMarks : flatMarks(thread, services),
    cacheKey: laidOut && lineage.threadId,
    tools: plan.palette.definitions,
    maxOutputTokens: thread.maxOutputTokens,
    inputTokens: thread.contextTokens,
    reasoning: plan.model.reasoning,
    thread: { directive: plan.directive.id, turn: thread.turns + 1 },
  };
}

/** Costs nothing while nobody looks on. */
function showCall(thread: Thread, { journal }: Services): void {
  if (!journal.isWatched(thread)) return;
  const { reference } = thread.plan.model;
  journal.record(thread, 'model_call_started', {
    model: reference,
    turn: thread.turns + 1,
    attempt: attemptOf(thread),
  });
}

/** Takes the answer into the conversation and the books. */
export const settleCall: Effect = (thread, services) => {
  const { response, plan } = thread;
  if (!response) throw new Error('settleCall without a response');
  thread.response = undefined;
  thread.attempt = 0;
  thread.refusals = 0;
  thread.waived = undefined;
  thread.cutOffs = 0;
  if (thread.providerRound !== undefined) services.gates.answered(plan.model.provider.id, thread);
  thread.turns++;
  services.counters.turns++;
  thread.text = response.text;
  const { text, toolCalls, carry } = response;
  // As long as the conversation still has the size that the call was made with.
  const wasShort = thread.maxOutputTokens < longestAnswer(thread);
  thread.messages.push({ role: 'assistant', text, toolCalls, carry });
  const asksHooks = response.toolCalls.length > 0 && plan.hooks.has('before_tool');
  services.journal.record(thread, 'cognition_out', saidOf(response, plan.model.reference, asksHooks));
  bookUsage({ thread, services, usage: response.usage, interrupted: false });
  settleSize(thread, response.usage);
  // Tools and hooks may take long; an answer that was paid for must not be lost with them.
  services.journal.flushSoon(thread);
  if (response.toolCalls.length === 0) {
    if (response.finishReason === 'length' && wasShort) addUserMessage({ thread, services }, CUT_OFF);
    return thread.send({ type: 'SETTLED', next: 'end' });
  }
  const requests = response.toolCalls.map((call) => services.requests.read(call, plan));
  thread.toolRun = createToolRun(requests, !asksHooks);
  if (asksHooks) return thread.send({ type: 'SETTLED', next: 'ask' });
  for (const request of requests) services.journal.record(thread, 'tool_call_start', startEvent(request));
  thread.send({ type: 'SETTLED', next: mustRecord(thread, requests) ? 'record' : 'tools' });
};

/**
 * An answer that was cut off for want of money is none to end with: either there is more by now, or a person is asked. All of it is asked
 * for, since the last answer is what the thread gives.
 */
const CUT_OFF =
  'Your answer was cut off: what is left of the budget paid for no more of it. Give all of it again, in fewer words.';

/** What the log says of an answer; most have nothing but a text. */
function saidOf(
  { text, finishReason, toolCalls, carry }: ModelResponse,
  model: string,
  asksHooks: boolean,
): EventPayloads['cognition_out'] {
  const said = { text, model };
  const isCut = finishReason === 'length';
  if (!isCut && !asksHooks && !carry) return said;
  return {
    ...said,
    ...(isCut && { truncated: true }),
    ...(asksHooks && { tool_calls: toolCalls }),
    ...(carry && { carry }),
  };
}

/** What a call used, to be booked. */
export type Booking = {
  readonly thread: Thread;
  readonly services: Services;
  readonly usage: TokenUsage;
  readonly interrupted: boolean;
};

/** Books a call's usage, interrupted or not; its settlement and the checkpoint that is due go with the next step. */
export function bookUsage({ thread, services, usage, interrupted }: Booking): void {
  const { price } = thread.plan.model;
  const spend = price ? priceOf(usage, price) : 0;
  thread.inputTokens += usage.inputTokens;
  thread.outputTokens += usage.outputTokens;
  thread.cacheReadTokens += usage.cacheReadTokens;
  thread.cacheWriteTokens += usage.cacheWriteTokens;
  thread.spend += spend;
  services.counters.spend += spend;
  services.counters.usage.record(usage);
  services.journal.record(thread, 'usage', {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    spend: nanoToUsd(spend),
    interrupted,
  });
  if (spend > thread.reserved) {
    const { reserved } = thread;
    const message = `A call cost more than its worst case (${formatUsd(spend)} instead of ${formatUsd(reserved)})`;
    recordOverspend({ thread, services }, { reserved, actual: spend, message });
  }
  addSettlement(thread, { reserved: thread.reserved, actual: spend });
  markCheckpoint(thread, services, interrupted ? 'onError' : 'postLlm');
  thread.reserved = 0;
}
