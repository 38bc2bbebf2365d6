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
  thread_resumed: 'running.checkpointing',
  directive_return: 'running.concluding',
  thread_completed: 'completed',
  thread_error: 'error',
  thread_cancelled: 'cancelled',
  thread_continued: 'continued',
};

/** Names of the events that tell of states. */
export const PATH_EVENTS: ReadonlySet<string> = new Set(Object.keys(STATES));

/** The states that a log tells of, in order; a state that is told twice in a row is one step. */
export function pathOf(events: readonly LogEvent[]): readonly PathStep[] {
  const steps: PathStep[] = [];
  for (const { event_type: type, sequence = 0, timestamp, payload } of events) {
    const state = stateOf(type, payload);
    if (state === undefined || steps.at(-1)?.state === state) continue;
    steps.push({ state, at_ms: Date.parse(timestamp), sequence });
  }
  return steps;
}

function stateOf(type: string, { retryable, delay_ms: delay, role }: LogEvent['payload']): string | undefined {
  if (type === 'error_classified' && retryable === true && typeof delay === 'number') return 'running.backingOff';
  // Results are told to the model with its next call.
  if (type === 'cognition_in' && role === 'system') return undefined;
  return Object.hasOwn(STATES, type) ? STATES[type as EventType] : undefined; // it is one of the names above
}
