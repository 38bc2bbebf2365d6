import type { NanoUsd } from '../../core/money.ts';

/** What a worker has done since its start. */
export type Counters = {
  turns: number;
  spend: NanoUsd;
  /** Of all calls, and what of that came from the caches of providers. */
  inputTokens: number;
  cacheReadTokens: number;
  events: number;
  /** Events whose payload did not fit, by type. */
  readonly invalidEvents: Map<string, number>;
};

/** Counters at zero. */
export function createCounters(): Counters {
  return { turns: 0, spend: 0, inputTokens: 0, cacheReadTokens: 0, events: 0, invalidEvents: new Map() };
}
