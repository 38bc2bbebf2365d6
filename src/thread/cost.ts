import { spellLimits, type Cost } from '../core/limits.ts';
import type { Thread } from './thread.ts';

/** A thread's counters now. */
export function costOf(thread: Thread): Cost {
  return {
    turns: thread.turns,
    inputTokens: thread.inputTokens,
    outputTokens: thread.outputTokens,
    spend: thread.spend,
    cacheReadTokens: thread.cacheReadTokens || undefined,
    cacheWriteTokens: thread.cacheWriteTokens || undefined,
  };
}

/** The form of limits in event payloads and hook contexts: S2's names, decimal USD. */
export function limitsPayload({ limits }: Thread): Readonly<Record<string, unknown>> {
  return { ...spellLimits(limits), spend_currency: 'USD' };
}
