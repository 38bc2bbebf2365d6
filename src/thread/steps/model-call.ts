import type { EventPayloads } from '../../core/events.ts';
import type { ModelRequest, ModelResponse, TokenUsage } from '../../core/provider.ts';
import { formatUsd, nanoToUsd, type NanoUsd } from '../../core/money.ts';
import { hasAudio } from '../../providers/audio-tokens.ts';
import { priceOf, worstCase } from '../../providers/pricing.ts';
import { markBeforeTurn, markCheckpoint } from './checkpoint-triggers.ts';
import { settleSize } from '../conversation/context-size.ts';
import { flatMarks } from '../tiers/flat-marks.ts';
import { deliverInbox } from '../conversation/conversation.ts';
import type { Effect } from './effects.ts';
import { recordOverspend } from './overspend.ts';
import type { Services } from '../services/services.ts';
import type { Thread } from '../thread.ts';
import { createToolRun, mustRecord, startEvent } from './tool-run.ts';

/** Reserves the call's worst case; the commit also carries everything recorded since the last step. */
export const reserveBudget: Effect = (thread, services) => {
  if (!mayCall(thread, services)) return thread.send({ type: 'PROVIDER_CLOSED' });
  // A request in tiers is laid out by now.
  if (!thread.assembly) deliverInbox({ thread, services });
  markBeforeTurn(thread, services);
  const { price, maxOutputTokens } = thread.plan.model;
  // Most models have no price of audio, and nothing is looked through.
  const hears = price?.audio !== undefined && hasAudio(thread);
  const worst = price ? worstCase({ inputTokens: thread.contextTokens, maxOutputTokens, hasAudio: hears }, price) : 0;
  thread.reserving = true;
  if (thread.leftReserved > 0) addSettlement(thread, { reserved: thread.leftReserved, actual: 0 });
  thread.leftReserved = 0;
  services.journal.commit(thread, { reserve: worst }, (result) => {
    const granted = result === true;
    if (!thread.reserving) return granted && worst > 0 ? giveBack(thread, services, worst) : undefined;
    thread.reserving = false;
    if (granted) {
      thread.reserved = worst;
      return thread.send({ type: 'RESERVED' });
    }
    const left = result.type === 'refused' ? result.remaining : 0;
    const max = thread.limits.spend;
    const hit = { code: 'spend_exceeded', current: Math.max(0, max - left), max, asked: worst } as const;
    thread.send({ type: 'BUDGET_REFUSED', hit });
  });
};

function mayCall(thread: Thread, { gates }: Services): boolean {
  return gates.mayStart(thread.plan.model.provider.id, thread);
}

/** Gives a reservation back that no call was made with. An ended thread's went with its ending. */
export function giveBack(thread: Thread, services: Services, amount: NanoUsd): void {
  if (thread.ended) return;
  addSettlement(thread, { reserved: amount, actual: 0 });
  services.journal.commit(thread, {}, () => undefined);
}

function addSettlement(thread: Thread, more: { reserved: NanoUsd; actual: NanoUsd }): void {
  const due = thread.settlement;
  thread.settlement = {
    reserved: more.reserved + (due?.reserved ?? 0),
    actual: more.actual + (due?.actual ?? 0),
  };
}

/** Sends the request. Nothing is sent for a thread whose cancellation is on its way. */
export const callModel: Effect = (thread, services) => {
  const { sink, plan } = thread;
  if (thread.cancelReason !== undefined || !sink) return;
  // It may have been closed while the reservation was on its way.
  if (!mayCall(thread, services)) return thread.send({ type: 'PROVIDER_CLOSED' });
  thread.modelFailure = undefined;
  showCall(thread, services);
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
    maxOutputTokens: plan.model.maxOutputTokens,
    reasoning: plan.model.reasoning,
    thread: { directive: plan.directive.id, turn: thread.turns + 1 },
  };
}

/** Costs nothing while nobody looks on. */
function showCall(thread: Thread, { journal }: Services): void {
  if (!journal.isWatched(thread)) return;
  const { reference } = thread.plan.model;
  journal.record(thread, 'model_call_started', { model: reference, turn: thread.turns + 1, attempt: thread.attempt });
}

/** Takes the answer into the conversation and the books. */
export const settleCall: Effect = (thread, services) => {
  const { response, plan } = thread;
  if (!response) throw new Error('settleCall without a response');
  thread.response = undefined;
  thread.attempt = 0;
  thread.waived = undefined;
  if (thread.providerRound !== undefined) services.gates.answered(plan.model.provider.id, thread);
  thread.turns++;
  services.counters.turns++;
  thread.text = response.text;
  const { text, toolCalls, carry } = response;
  thread.messages.push({ role: 'assistant', text, toolCalls, carry });
  const asksHooks = response.toolCalls.length > 0 && plan.hooks.has('before_tool');
  services.journal.record(thread, 'cognition_out', saidOf(response, plan.model.reference, asksHooks));
  bookUsage({ thread, services, usage: response.usage, interrupted: false });
  settleSize(thread, response.usage);
  // Tools and hooks may take long; an answer that was paid for must not be lost with them.
  services.journal.flushSoon(thread);
  if (response.toolCalls.length === 0) return thread.send({ type: 'SETTLED', next: 'end' });
  const requests = response.toolCalls.map((call) => services.requests.read(call, plan));
  thread.toolRun = createToolRun(requests, !asksHooks);
  if (asksHooks) return thread.send({ type: 'SETTLED', next: 'ask' });
  for (const request of requests) services.journal.record(thread, 'tool_call_start', startEvent(request));
  thread.send({ type: 'SETTLED', next: mustRecord(requests) ? 'record' : 'tools' });
};

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
