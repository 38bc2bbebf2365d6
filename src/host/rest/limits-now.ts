import { raisedLimits } from '../../config/raised-limits.ts';
import { SkeinError, messageOf } from '../../core/errors.ts';
import type { ThreadNo } from '../../core/ids.ts';
import type { Limits } from '../../core/limits.ts';
import type { StoreReader } from '../../core/store.ts';

/**
 * The limits of an open thread as a worker would read them back: those of its checkpoint, or what it was started with, and
 * what people have granted it or resumed it with since.
 *
 * @throws SkeinError `store_corrupt`
 */
export function limitsNow(reader: LimitReader, thread: ThreadNo): Limits {
  try {
    return raisedLimits(reader.checkpoint(thread) ?? reader.spec(thread) ?? '', reader.raises(thread));
  } catch (cause) {
    const message = `The stored limits of thread ${thread} are damaged: ${messageOf(cause)}`;
    throw new SkeinError('store_corrupt', message, { cause });
  }
}

/** Where they stand. */
export type LimitReader = Pick<StoreReader, 'checkpoint' | 'spec' | 'raises'>;
