import { z } from 'zod';
import { resolveLimits } from '../../config/limits.ts';
import { SkeinError, toFailure } from '../../core/errors.ts';
import { decodeEvents, type StoredEvent } from '../../core/events.ts';
import type { ThreadNo } from '../../core/ids.ts';
import type { LimitOverrides, Limits } from '../../core/limits.ts';
import type { StoreReader } from '../../core/store.ts';
import { storedLimitsSchema } from '../../core/stored-limits.ts';

/** Spec and checkpoint have them at the same place. */
const withLimits = z.object({ limits: storedLimitsSchema });

/**
 * The limits of an open thread as a worker would read them back: those of its checkpoint, or what it was started with, and
 * what people have granted it or resumed it with since.
 *
 * @throws SkeinError `store_corrupt`
 */
export function limitsNow(reader: LimitSources, thread: ThreadNo): Limits {
  try {
    const stored = reader.checkpoint(thread) ?? reader.spec(thread) ?? '';
    const { limits } = withLimits.parse(JSON.parse(stored));
    return reader.raises(thread).flatMap(decodeEvents).flatMap(raisesIn).reduce<Limits>(raised, limits);
  } catch (cause) {
    const message = `The stored limits of thread ${thread} are damaged: ${toFailure(cause).message}`;
    throw new SkeinError('store_corrupt', message, { cause });
  }
}

/** Where they stand. */
export type LimitSources = Pick<StoreReader, 'checkpoint' | 'spec' | 'raises'>;

function raisesIn(event: StoredEvent): readonly LimitOverrides[] {
  if (event.event_type !== 'thread_resumed' && event.event_type !== 'approval_resolved') return [];
  return event.payload.limits ? [event.payload.limits] : [];
}

function raised(defaults: Limits, overrides: LimitOverrides): Limits {
  return resolveLimits({ defaults, directive: { id: 'resume', limits: {} }, overrides }).limits;
}
