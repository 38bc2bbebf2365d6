import { costPayload } from './cost-payload.ts';
import type { ThreadOutcome } from './operations.ts';
import type { WaitedThread } from './protocol.ts';

/** How a thread that was waited for stands: S2 §6.8 `SYNC_RETURN`, without `directive`. */
export function threadOutcome({ threadId, status, ending, continuedAs }: WaitedThread): ThreadOutcome {
  return {
    success: status === 'completed',
    thread_id: threadId,
    result: ending?.outputs ?? ending?.text ?? null,
    status,
    ...(ending && { outputs: ending.outputs ?? null, cost: costPayload(ending.cost) }),
    error: ending?.error?.message ?? null,
    ...(status === 'not_found' && { code: 'thread_not_found' }),
    ...(continuedAs !== undefined && { continued_as: continuedAs }),
  };
}
