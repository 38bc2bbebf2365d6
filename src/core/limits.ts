import { nanoToUsd, type NanoUsd } from './money.ts';

/**
 * What a thread may use, resolved: defaults < directive < caller, capped by the parent (contracts, "Limit resolution").
 * `spend` is in nano-USD here; decimal USD in YAML, XML and the public API. `durationSeconds` is wall time since start.
 */
export type Limits = {
  readonly turns: number;
  readonly tokens: number;
  readonly spend: NanoUsd;
  readonly spawns: number;
  readonly depth: number;
  readonly durationSeconds: number;
};

/** The same as events and people have them: the seeds' names, `spend` in decimal USD. */
export function spellLimits(limits: Limits): Readonly<Record<LimitName, number>> {
  // Written out: every step asks for it, and to leave two fields out of a copy costs more than all of them.
  const { turns, tokens, spend, spawns, depth, durationSeconds } = limits;
  return { turns, tokens, spawns, depth, spend: nanoToUsd(spend), duration_seconds: durationSeconds };
}

/** Names of the limits, as in the seeds. */
export const LIMIT_NAMES = ['turns', 'tokens', 'spend', 'spawns', 'depth', 'duration_seconds'] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

/** Limits as a person writes them: the seeds' names, `spend` in decimal USD. */
export type SpelledLimits = Readonly<Record<LimitName, number>> & { readonly spend_currency: 'USD' };

/** Some of them. */
export type LimitOverrides = {
  readonly [Name in keyof SpelledLimits]?: SpelledLimits[Name] | undefined;
};

/** What a thread has used so far. `spend` is the thread's own model calls, in nano-USD. */
export type Cost = {
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly spend: NanoUsd;
  /** Of the input, what came from the provider's cache and what went into it; absent: nothing did. */
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
};

/** The cost of a thread that has done nothing. */
export const NO_COST: Cost = { turns: 0, inputTokens: 0, outputTokens: 0, spend: 0 };

/** The code of a limit that was hit, as in `thread_error` and the `limit` hook. */
export type LimitCode = `${LimitName}_exceeded`;

/** A limit that was hit; money in nano-USD. */
export type LimitHit = {
  readonly code: LimitCode;
  readonly current: number;
  readonly max: number;
  /** What was asked for on top of `current`, when that is what did not fit. */
  readonly asked?: number;
};
