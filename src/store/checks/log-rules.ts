import { isEnded } from '../../core/ending.ts';
import type { StoredEvent } from '../../core/events.ts';
import type { Finding } from '../../core/finding.ts';
import { isTerminal, statusAfter, type LogState } from './log-state.ts';

/** What a finding says before it is known whose log it is. */
export type Breach = Pick<Finding, 'invariant' | 'message' | 'sequence'>;

/** Edges `from>to` between states that a thread may take (M1). */
export type LegalEdges = ReadonlySet<string>;

/** What the next event of a log breaks; `state` is that before it (E2, E3, E4, M1). */
export function* breachesOf(state: LogState, event: StoredEvent, edges: LegalEdges): Generator<Breach> {
  const { sequence } = event;
  if (sequence !== state.sequence + 1) {
    yield { invariant: 'E2', sequence, message: `event ${sequence} follows event ${state.sequence}` };
  }
  if (isEnded(state.status)) {
    const what = isTerminal(event) ? 'a second terminal event' : 'an event';
    yield { invariant: 'E3', sequence, message: `${event.event_type} is ${what} after its end` };
  }
  yield* callBreaches(state, event);
  const to = statusAfter(event);
  // Nothing says that a worker had it since it was resumed, or ever.
  const isUntouched = state.isResumed || !state.hasStarted;
  const isLegal = edges.has(`${state.status}>${to}`) || (isUntouched && edges.has(`suspended>${to}`));
  if (to !== undefined && !isLegal) {
    yield { invariant: 'M1', sequence, message: `${event.event_type} leads from ${state.status} to ${to}` };
  }
}

/** Results that were carried over belong to calls of another thread. */
function* callBreaches({ openCalls }: LogState, event: StoredEvent): Generator<Breach> {
  const { sequence } = event;
  if (event.event_type === 'tool_call_start' && openCalls.has(event.payload.call_id)) {
    yield { invariant: 'E4', sequence, message: `the call ${event.payload.call_id} starts twice without a result` };
  }
  if (event.event_type !== 'tool_call_result' || event.payload.carried) return;
  if (openCalls.has(event.payload.call_id)) return;
  yield { invariant: 'E4', sequence, message: `the call ${event.payload.call_id} has a result, and was not open` };
}

/** What is wrong with a log whose last event is read (E4). */
export function* breachesAtEnd({ status, openCalls }: LogState): Generator<Breach> {
  if (!isEnded(status)) return;
  for (const [call, tool] of openCalls) {
    yield { invariant: 'E4', message: `the call ${call} of ${tool} has no result, and the thread has ended` };
  }
}
