import type { NanoUsd } from '../../core/money.ts';
import { createCacheReport, type CacheReport } from '../../prompt/tiers/cache-report.ts';

/** What a worker has done since its start. */
export type Counters = {
  turns: number;
  spend: NanoUsd;
  /** Of all calls, as providers count: what came from their caches, too. */
  readonly usage: CacheReport;
  events: number;
  /** Events whose payload did not fit, by type. */
  readonly invalidEvents: Map<string, number>;
};

/** Counters at zero. */
export function createCounters(): Counters {
  return { turns: 0, spend: 0, usage: createCacheReport(), events: 0, invalidEvents: new Map() };
}
