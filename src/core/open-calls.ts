import { eventsOfTypes, type EventPayloads } from './events.ts';

/** A result that a log lacks. */
export type MissedResult = { readonly type: 'tool_call_result'; readonly payload: EventPayloads['tool_call_result'] };

/** Results for the calls of a log that have started and have none: nobody knows how far they came. */
export function missedResults(lines: string): MissedResult[] {
  const open = new Set<string>();
  for (const { event_type: type, payload } of eventsOfTypes(lines, ['tool_call_start', 'tool_call_result'])) {
    if (type === 'tool_call_start') open.add(payload.call_id);
    else open.delete(payload.call_id);
  }
  const error = 'The call was interrupted and has not been run again';
  return [...open].map((call_id) => ({ type: 'tool_call_result', payload: { call_id, error, duration_ms: 0 } }));
}
