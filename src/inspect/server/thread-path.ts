import type { EventType } from '../../core/events.ts';
import type { LogEvent, PathStep } from '../api.ts';

/** Events that tell of a state of the machine: the one it came to when the event was written, or right after. */
const STATES: Readonly<Partial<Record<EventType, string>>> = {
  thread_started: 'running.starting',
  cognition_out: 'running.settling',
  cognition_in: 'running.calling',
  tool_call_start: 'running.acting',
  context_compacted: 'running.compacting',
  limit_escalation_requested: 'running.decidingLimit',
  error_classified: 'running.classifying',
  thread_suspended: 'suspended',
  directive_return: 'running.concluding',
  thread_completed: 'completed',
  thread_error: 'error',
  thread_cancelled: 'cancelled',
  thread_continued: 'continued',
};

/** Names of the events that a path is made of: those that tell of states, and those that say where a thread goes on. */
export const PATH_EVENTS: ReadonlySet<string> = new Set([...Object.keys(STATES), 'thread_resumed', 'tool_call_result']);

/** What of an event's payload a path needs: of results and calls no more than which they are. */
export function pathPayload(payload: LogEvent['payload']): LogEvent['payload'] {
  const { retryable, delay_ms, role, carried, is_partial, call_id, tool_calls } = payload;
  const calls = tool_calls !== undefined && { tool_calls: idsOf(tool_calls).map((id) => ({ id })) };
  return { retryable, delay_ms, role, carried, is_partial, call_id, ...calls };
}

/** Some events of a log, in order; `isCut`: there are others before. */
export type PathEvents = { readonly events: readonly LogEvent[]; readonly isCut: boolean };

/** The states that a log tells of, in order; a state that is told twice in a row is one step. */
export function statePath({ events, isCut }: PathEvents): readonly PathStep[] {
  const steps: PathStep[] = [];
  const place: Place = { hasMessages: isCut, openCalls: new Set() };
  for (const event of events) {
    const state = event.event_type === 'thread_resumed' ? resumedAt(place) : stateOf(event);
    take(place, event);
    if (state === undefined || steps.at(-1)?.state === state) continue;
    steps.push({ state, at_ms: Date.parse(event.timestamp), sequence: event.sequence ?? 0 });
  }
  return steps;
}

function stateOf({ event_type: type, payload }: LogEvent): string | undefined {
  const { retryable, delay_ms: delay, role, carried, is_partial: isPartial } = payload;
  if (type === 'error_classified' && retryable === true && typeof delay === 'number') return 'running.backingOff';
  // Results are told to the model with its next call; what was said before a hand-over is not said again.
  if ((type === 'cognition_in' && role === 'system') || carried === true) return undefined;
  // An answer that broke off is not settled: what comes next says where the thread went.
  if (isPartial === true) return undefined;
  return Object.hasOwn(STATES, type) ? STATES[type as EventType] : undefined; // it is one of the names above
}

/** What a thread has when it is suspended: it says where it goes on. */
type Place = { hasMessages: boolean; openCalls: Set<unknown> };

/** As the machine does: calls without a result are asked for again, and without a message it starts over. */
function resumedAt({ hasMessages, openCalls }: Place): string {
  if (openCalls.size > 0) return 'running.askingHooks';
  return hasMessages ? 'running.checkpointing' : 'running.starting';
}

function take(place: Place, { event_type: type, payload }: LogEvent): void {
  switch (type) {
    case 'cognition_in':
    case 'cognition_out': {
      // What a call that broke off has said is no message of the conversation.
      if (payload['is_partial'] === true || (type === 'cognition_in' && payload['role'] !== 'user')) return;
      place.hasMessages = true;
      place.openCalls = new Set(idsOf(payload['tool_calls']));
      return;
    }
    case 'context_compacted':
      place.openCalls.clear();
      return;
    case 'tool_call_start':
      place.openCalls.add(payload['call_id']);
      return;
    case 'tool_call_result':
      place.openCalls.delete(payload['call_id']);
      return;
    default:
  }
}

function idsOf(calls: unknown): unknown[] {
  return Array.isArray(calls) ? calls.map((call: { readonly id?: unknown }) => call.id) : [];
}
