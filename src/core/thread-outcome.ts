import { costPayload } from './cost-payload.ts';
import type { ThreadOutcome } from './operations.ts';
import type { WaitedThread } from './protocol.ts';
import { threadNotFound } from './thread-not-found.ts';
import { syncReturn } from './thread-return.ts';

/** How a thread that was waited for stands: S2 §6.8 `SYNC_RETURN`, without `directive`. */
export function threadOutcome(waited: WaitedThread): ThreadOutcome {
  const { threadId, status, continuedAs } = waited;
  return {
    ...syncReturn(threadId, waited, costPayload),
    ...(status === 'not_found' && refusalOf(threadId)),
    ...(continuedAs !== undefined && { continued_as: continuedAs }),
  };
}

function refusalOf(id: string): Pick<ThreadOutcome, 'error' | 'code'> {
  const { code, message } = threadNotFound(id);
  return { error: message, code };
}
