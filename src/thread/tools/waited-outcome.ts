import type { ThreadOutcome } from '../../core/operations.ts';
import type { WaitedThread } from '../../core/protocol.ts';
import { failed, type Result } from '../../core/result.ts';
import { threadOutcome } from '../../core/thread-outcome.ts';
import type { ToolOutcome } from '../../core/tool.ts';
import { hasRoom, withinRoom } from './within-room.ts';

/**
 * What a call that has waited for threads gives its model, from the host's answer: of the child that it has spawned
 * (S2 §6.8's SYNC_RETURN), which was given `directive`, or of all those it named (S2 §6.11). Where it was the time of a hook
 * that was over, `hookMs`, that is the hook's failure.
 */
export function waitedOutcome(answer: Result<unknown>, directive: string | undefined, hookMs?: number): ToolOutcome {
  if (!answer.ok) return answer;
  // The host answers a `wait` with one entry per id (protocol).
  const waited = answer.value as readonly WaitedThread[];
  if (hookMs !== undefined && waited.some(({ status }) => status === 'timeout'))
    return failed({ code: 'deadline_exceeded', message: `It took longer than ${hookMs} ms` });
  const outcomes = waited.map(threadOutcome);
  if (directive !== undefined)
    return { ok: true, value: { ...withinRoom(outcomes.map(withoutOutputs))[0], directive } };
  return { ok: true, value: { success: outcomes.every(({ success }) => success), ...forModel(outcomes) } };
}

/** What `aggregate_results` gives a model. */
export function aggregatedOutcome(answer: Result<unknown>): ToolOutcome {
  if (!answer.ok) return answer;
  // The host answers with the operation's result, or says why there is none (protocol).
  const value = answer.value as { readonly results?: readonly ThreadOutcome[] };
  return { ok: true, value: value.results ? { ...value, ...forModel(value.results) } : value };
}

/** Where there is no room for both, `result` has the outputs. `left_out`: how many of the last ones there is no room for at all. */
function forModel(outcomes: readonly ThreadOutcome[]): {
  readonly results: readonly Omit<ThreadOutcome, 'outputs'>[];
  readonly left_out?: number;
} {
  if (hasRoom(outcomes)) return { results: outcomes };
  const results = withinRoom(outcomes.map(withoutOutputs));
  const leftOut = outcomes.length - results.length;
  return { results, ...(leftOut > 0 && { left_out: leftOut }) };
}

/** As S2's SYNC_RETURN is: `result` has them. */
function withoutOutputs({ outputs: _outputs, ...outcome }: ThreadOutcome): Omit<ThreadOutcome, 'outputs'> {
  return outcome;
}
