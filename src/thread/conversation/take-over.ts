import type { Message } from '../../core/conversation.ts';
import { estimateMessageTokens } from '../../providers/pricing.ts';
import { carriedMessages, leftOutNote, type Room } from './carried-messages.ts';
import { addTokens } from './context-size.ts';
import { addUserMessage, type InWorker } from './conversation.ts';
import type { Inheritance } from './inheritance.ts';
import type { Thread } from '../thread.ts';
import { countPastMessage, measureProject } from '../tiers/measure-request.ts';
import { inheritContext } from '../tiers/show-context.ts';

/** Share of the window that a successor's first request may fill after a hand-over. */
const HANDED_OVER_SHARE = 0.5;

/**
 * Puts what a successor goes on with behind its first message, and into its own log: it can be read back without those
 * before it. Costs nothing for a thread that is no successor.
 */
export function takeOver(worker: InWorker): void {
  const { thread } = worker;
  const { inherited } = thread;
  if (!inherited) return;
  thread.inherited = undefined;
  const carried = carriedMessages(inherited.messages, {
    tokens: roomFor(worker, inherited),
    ...measureOf(thread, inherited),
  });
  for (const message of carried.lead) carry(worker, message);
  if (carried.leftOut > 0) addUserMessage(worker, leftOutNote(carried, inherited.from));
  for (const message of carried.tail) carry(worker, message);
  inheritContext(worker, inherited.context, shareFor(worker, inherited));
  // A model answers somebody.
  if (thread.messages.at(-1)?.role === 'assistant' && thread.inbox.length === 0) addUserMessage(worker, GO_ON);
  // The size of the conversation is another one from here on.
  thread.checkpointDue = true;
}

const GO_ON = 'Go on from here.';

/** What may be carried, in tokens: `resume_ceiling_tokens` holds for hand-overs, which nobody has asked to pay for. */
function roomFor(worker: InWorker, inherited: Inheritance): number {
  const { thread, services } = worker;
  const project = thread.assembly ? measureProject(worker, thread.assembly) : 0;
  const room = thread.plan.model.contextWindow * shareFor(worker, inherited) - thread.contextTokens - project;
  return inherited.isHandedOver ? Math.min(services.config.resilience.continuation.resumeCeilingTokens, room) : room;
}

function shareFor({ services }: InWorker, { isHandedOver }: Inheritance): number {
  return isHandedOver ? HANDED_OVER_SHARE : services.config.resilience.continuation.pressureThreshold;
}

/**
 * What a message takes: the predecessor's size by its provider's count, which its successor's first checkpoint has, against the
 * estimate of it. In tiers most of that size stood beside the conversation: there it is what it will take in the next request.
 */
function measureOf({ assembly, plan }: Thread, { tokens, messages }: Inheritance): Omit<Room, 'tokens'> {
  if (assembly) {
    const { count, expect } = plan.model.counter;
    return { scale: expect(1_000) / 1_000, estimate: (message) => countPastMessage(message, count) };
  }
  const estimated = messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
  return { scale: Math.max(1, tokens / Math.max(1, estimated)) };
}

/** Says in the log what was said before, without starting any call again. */
function carry({ thread, services }: InWorker, message: Message): void {
  const { journal } = services;
  const carried = true;
  thread.messages.push(message);
  addTokens(thread, estimateMessageTokens(message, thread.plan.model.counter.count));
  switch (message.role) {
    case 'user':
      return journal.record(thread, 'cognition_in', {
        text: message.text,
        role: 'user',
        ...(message.parts && { parts: message.parts }),
        directive: thread.plan.directive.id,
        carried,
      });
    case 'assistant':
      return journal.record(thread, 'cognition_out', {
        text: message.text,
        model: thread.spec.shared.model,
        ...(message.toolCalls.length > 0 && { tool_calls: message.toolCalls }),
        ...(message.carry && { carry: message.carry }),
        carried,
      });
    case 'tool': {
      const said = message.isError ? { error: message.text } : { output: message.text };
      return journal.record(thread, 'tool_call_result', { call_id: message.callId, ...said, duration_ms: 0, carried });
    }
  }
}
