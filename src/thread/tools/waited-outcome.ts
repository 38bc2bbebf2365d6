import type { WaitedThread } from '../../core/protocol.ts';
import type { Result } from '../../core/result.ts';
import { threadOutcome } from '../../core/thread-outcome.ts';
import type { ToolOutcome } from '../../core/tool.ts';

/**
 * What a call that has waited for threads gives its model, from the host's answer: of the child that it has spawned
 * (S2 §6.8's SYNC_RETURN), which was given `directive`, or of all those it named (S2 §6.11).
 */
export function waitedOutcome(answer: Result<unknown>, directive: string | undefined): ToolOutcome {
  if (!answer.ok) return answer;
  // The host answers a `wait` with one entry per id (protocol).
  const results = (answer.value as readonly WaitedThread[]).map(threadOutcome);
  if (directive !== undefined) return { ok: true, value: { ...results[0], directive } };
  return { ok: true, value: { success: results.every(({ success }) => success), results } };
}
