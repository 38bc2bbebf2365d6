import { z } from 'zod';
import { SkeinError, toFailure } from '../../core/errors.ts';
import type { ThreadNo } from '../../core/ids.ts';
import type { ThreadSpec } from '../../core/protocol.ts';
import type { StoreReader } from '../../core/store.ts';
import { storedLimitsSchema } from '../../core/stored-limits.ts';

/** What a damaged row could get wrong; the rest of a spec is as this package wrote it. */
const specSchema = z.looseObject({
  directive: z.string(),
  limits: storedLimitsSchema,
});

/** What a stored thread was started with. @throws SkeinError `store_corrupt` */
export function parseSpec(reader: StoreReader, thread: ThreadNo): ThreadSpec {
  try {
    return specSchema.parse(JSON.parse(reader.spec(thread) ?? '')) as unknown as ThreadSpec;
  } catch (cause) {
    throw new SkeinError(
      'store_corrupt',
      `The stored spec of thread ${thread} is damaged: ${toFailure(cause).message}`,
      {
        cause,
      },
    );
  }
}
