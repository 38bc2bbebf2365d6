import type { Config } from '../../config/config.ts';
import type { TokenUsage } from '../../core/provider.ts';
import type { Thread } from '../thread.ts';

/**
 * How long a thread's next request is. What the provider has counted stays as it counted it; what was added since is
 * counted once, when it is added, and tells the model's counter how right it was when the provider has counted it too.
 */

/** The share of the window at which a conversation is full. */
export function fullShare({ resilience }: Config): number {
  const { enabled, hardThreshold } = resilience.continuation;
  return enabled ? hardThreshold : 1;
}

/** Begins with what stands before the messages. */
export function beginSize(thread: Thread): void {
  setSize(thread, thread.plan.model.counter.count(thread.system) + thread.plan.paletteTokens);
}

/** Begins anew with a request as it is laid out, counted. */
export function setSize(thread: Thread, counted: number): void {
  thread.contextTokens = 0;
  thread.knownTokens = 0;
  thread.addedTokens = 0;
  addTokens(thread, counted);
}

/** Adds a text that was appended. */
export function addText(thread: Thread, text: string): void {
  addTokens(thread, thread.plan.model.counter.count(text));
}

/** Adds tokens as the model's counter counts them. */
export function addTokens(thread: Thread, counted: number): void {
  thread.addedTokens += counted;
  thread.contextTokens += thread.plan.model.counter.expect(counted);
}

/** Takes over the provider's count of a request and of its answer. From an input that nobody counted there is nothing to learn. */
export function settleSize(thread: Thread, { inputTokens, outputTokens }: TokenUsage): void {
  if (thread.knownTokens !== undefined && inputTokens !== thread.contextTokens) {
    thread.plan.model.counter.observe(thread.addedTokens, inputTokens - thread.knownTokens);
  }
  thread.knownTokens = inputTokens + outputTokens;
  thread.addedTokens = 0;
  thread.contextTokens = thread.knownTokens;
}
