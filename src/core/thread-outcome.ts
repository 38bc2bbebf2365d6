import { costPayload } from './cost-payload.ts';
import type { ThreadOutcome } from './operations.ts';
import type { WaitedThread } from './protocol.ts';
import { syncReturn } from './thread-return.ts';

/** How a thread that was waited for stands: S2 §6.8 `SYNC_RETURN`, without `directive`. */
export function threadOutcome(waited: WaitedThread): ThreadOutcome {
  const { threadId, status, continuedAs } = waited;
  return {
    ...syncReturn(threadId, waited, costPayload),
    ...(status === 'not_found' && { code: 'thread_not_found' }),
    ...(continuedAs !== undefined && { continued_as: continuedAs }),
  };
}
