import type { Cost } from '../core/limits.ts';
import { nanoToUsd } from '../core/money.ts';
import type { Thread } from './thread.ts';

/** A thread's counters now. */
export function costOf(thread: Thread): Cost {
  return {
    turns: thread.turns,
    inputTokens: thread.inputTokens,
    outputTokens: thread.outputTokens,
    spend: thread.spend,
    ...(thread.cacheReadTokens > 0 && { cacheReadTokens: thread.cacheReadTokens }),
    ...(thread.cacheWriteTokens > 0 && { cacheWriteTokens: thread.cacheWriteTokens }),
  };
}

/** The form of limits in event payloads and hook contexts: S2's names, decimal USD. */
export function limitsPayload({ limits }: Thread): Readonly<Record<string, unknown>> {
  return {
    turns: limits.turns,
    tokens: limits.tokens,
    spend: nanoToUsd(limits.spend),
    spend_currency: 'USD',
    spawns: limits.spawns,
    depth: limits.depth,
    duration_seconds: limits.durationSeconds,
  };
}
