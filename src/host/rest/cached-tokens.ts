import { z } from 'zod';
import { eventsOfTypes } from '../../core/events.ts';
import { jsonOrUndefined } from '../../core/json-or-undefined.ts';
import type { Cost } from '../../core/limits.ts';
import type { StoredThread } from '../../core/store.ts';

/** What a checkpoint may have of them; a damaged one has none, and keeps no thread from ending. */
const countersSchema = z.object({ cacheReadTokens: z.int().default(0), cacheWriteTokens: z.int().default(0) });

/**
 * Tokens from caches and into them, of a thread that was read with its whole log, as a worker would read them back: its row has
 * none. Those of its checkpoint, in which are those of a thread that it took over from, and of the calls since.
 */
export function cachedTokens({
  checkpoint,
  lines,
}: Pick<StoredThread, 'checkpoint' | 'lines'>): Pick<Cost, 'cacheReadTokens' | 'cacheWriteTokens'> {
  const counters = countersSchema.safeParse(jsonOrUndefined(checkpoint?.state ?? ''));
  let { cacheReadTokens: read, cacheWriteTokens: write } = counters.data ?? { cacheReadTokens: 0, cacheWriteTokens: 0 };
  for (const { sequence, payload } of eventsOfTypes(lines, ['usage'])) {
    if (sequence <= (checkpoint?.sequence ?? 0)) continue;
    read += payload.cache_read_tokens;
    write += payload.cache_write_tokens;
  }
  return { cacheReadTokens: read || undefined, cacheWriteTokens: write || undefined };
}
