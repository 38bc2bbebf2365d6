import type { NanoUsd } from '../../core/money.ts';
import type { ModelPrice } from '../../core/provider.ts';
import type { Settlement } from '../../core/store.ts';
import { hasAudio } from '../../providers/audio-tokens.ts';
import { affordableOutput, worstCase, type WorstCall } from '../../providers/pricing.ts';
import { hasRoomForInbox } from '../conversation/context-pressure.ts';
import { deliverInbox, type InWorker } from '../conversation/conversation.ts';
import type { Services } from '../services/services.ts';
import type { Thread } from '../thread.ts';
import { markBeforeTurn } from './checkpoint-triggers.ts';
import type { Effect } from './effects.ts';

/**
 * Reserves the call's worst case; the commit also carries everything recorded since the last step. Where that is more than what is
 * left of the budget, the call may answer with as much as that pays for (ADR 65).
 */
export const reserveBudget: Effect = (thread, services) => {
  if (!mayCall(thread, services)) return thread.send({ type: 'PROVIDER_CLOSED' });
  // What has come since the limits were checked. A request in tiers is laid out by now, and a long message waits for the next check.
  const { inbox, assembly } = thread;
  if (inbox.length > 0 && !assembly && hasRoomForInbox(thread, services.config)) deliverInbox({ thread, services });
  markBeforeTurn(thread, services);
  thread.reserving = true;
  if (thread.leftReserved > 0) addSettlement(thread, { reserved: thread.leftReserved, actual: 0 });
  thread.leftReserved = 0;
  const call = whole(thread);
  // Its children may have a part of that: the ledger knows.
  reserve({ thread, services }, fit(call, thread, thread.limits.spend - thread.spend) ?? call);
};

/** Whether the model's provider takes calls. */
export function mayCall(thread: Thread, { gates }: Services): boolean {
  return gates.mayStart(thread.plan.model.provider.id, thread);
}

function reserve({ thread, services }: InWorker, call: WorstCall): void {
  const worst = costOf(call, thread.plan.model.price);
  services.journal.commit(thread, { reserve: worst }, (result) => {
    const granted = result === true;
    if (!thread.reserving) return granted && worst > 0 ? giveBack(thread, services, worst) : undefined;
    const left = !granted && result.type === 'refused' ? result.remaining : 0;
    const shorter = granted ? undefined : fit(call, thread, left);
    if (shorter && shorter.maxOutputTokens < call.maxOutputTokens) return reserve({ thread, services }, shorter);
    thread.reserving = false;
    return granted ? take(thread, call, worst) : refuse(thread, left);
  });
}

function take(thread: Thread, { maxOutputTokens }: WorstCall, worst: NanoUsd): void {
  thread.reserved = worst;
  thread.maxOutputTokens = maxOutputTokens;
  thread.send({ type: 'RESERVED' });
}

/** What is asked for is a call that may answer with as much as its model can. */
function refuse(thread: Thread, left: NanoUsd): void {
  const { spend: max } = thread.limits;
  const asked = costOf(whole(thread), thread.plan.model.price);
  thread.send({
    type: 'BUDGET_REFUSED',
    hit: { code: 'spend_exceeded', current: Math.max(0, max - left), max, asked },
  });
}

function whole(thread: Thread): WorstCall {
  const { price } = thread.plan.model;
  // Most models have no price of audio, and nothing is looked through.
  const hears = price?.audio !== undefined && hasAudio(thread);
  return { inputTokens: thread.contextTokens, maxOutputTokens: longestAnswer(thread), hasAudio: hears };
}

/** What the next call may answer with, in tokens, as far as money goes: many servers refuse a request whose answer has no room. */
export function longestAnswer({ contextTokens, plan }: Thread): number {
  const { contextWindow, answerRoom = 0, maxOutputTokens } = plan.model;
  return Math.min(maxOutputTokens, Math.max(contextWindow + answerRoom - contextTokens, leastAnswer(plan.model)));
}

function costOf(call: WorstCall, price: ModelPrice | undefined): NanoUsd {
  return price ? worstCase(call, price) : 0;
}

/** The call with an answer that an amount pays for; undefined if that would be too short to be of use. */
function fit(call: WorstCall, { plan }: Thread, amount: NanoUsd): WorstCall | undefined {
  const { price } = plan.model;
  if (!price || worstCase(call, price) <= amount) return call;
  const affordable = affordableOutput(call, price, amount);
  return affordable >= leastAnswer(plan.model) ? { ...call, maxOutputTokens: affordable } : undefined;
}

function leastAnswer({ reasoning }: Thread['plan']['model']): number {
  const thoughts = reasoning && 'budgetTokens' in reasoning ? reasoning.budgetTokens : 0;
  return thoughts + LEAST_ANSWER;
}

/** Tokens: some paragraphs, or a call of a tool with a short input. */
const LEAST_ANSWER = 1_024;

/** Gives a reservation back that no call was made with. An ended thread's went with its ending. */
export function giveBack(thread: Thread, services: Services, amount: NanoUsd): void {
  if (thread.ended) return;
  addSettlement(thread, { reserved: amount, actual: 0 });
  services.journal.commit(thread, {}, () => undefined);
}

/** Adds to what the next step settles. */
export function addSettlement(thread: Thread, more: Settlement): void {
  const due = thread.settlement;
  thread.settlement = {
    reserved: more.reserved + (due?.reserved ?? 0),
    actual: more.actual + (due?.actual ?? 0),
  };
}
