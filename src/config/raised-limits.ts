import { z } from 'zod';
import { eventsOfTypes } from '../core/events.ts';
import type { LimitOverrides, Limits } from '../core/limits.ts';
import { storedLimitsSchema } from '../core/stored-limits.ts';
import { resolveLimits } from './limits.ts';

/** Spec and checkpoint have them at the same place. */
const withLimits = z.object({ limits: storedLimitsSchema });

/**
 * The limits of a thread: those of its checkpoint, or what it was started with (`stored`, JSON), and what people have granted
 * it or resumed it with since (`lines`, chunks of its log). Throws where these are damaged.
 */
export function raisedLimits(stored: string, lines: readonly string[]): Limits {
  const { limits } = withLimits.parse(JSON.parse(stored));
  return lines
    .flatMap((chunk) => eventsOfTypes(chunk, ['thread_resumed', 'approval_resolved']))
    .flatMap(({ payload }) => payload.limits ?? [])
    .reduce<Limits>(raise, limits);
}

/** Limits with what a person has said to them. */
export function raise(defaults: Limits, overrides: LimitOverrides): Limits {
  return resolveLimits({ defaults, directive: { id: 'resume', limits: {} }, overrides }).limits;
}
