import { decodeEvents, type EventPayloads } from './events.ts';

/** A result that a log lacks. */
export type MissedResult = { readonly type: 'tool_call_result'; readonly payload: EventPayloads['tool_call_result'] };

/** Results for the calls of a log that have started and have none: nobody knows how far they came. */
export function missedResults(lines: string): MissedResult[] {
  const open = new Set<string>();
  for (const [line] of lines.matchAll(CALL_LINE)) {
    for (const event of decodeEvents(line)) {
      if (event.event_type === 'tool_call_start') open.add(event.payload.call_id);
      if (event.event_type === 'tool_call_result') open.delete(event.payload.call_id);
    }
  }
  const error = 'The call was interrupted and has not been run again';
  return [...open].map((call_id) => ({ type: 'tool_call_result', payload: { call_id, error, duration_ms: 0 } }));
}

/** How a line about a call begins (`encodeEvent`); what somebody says about events is inside of a payload. */
const CALL_LINE = /^\{"sequence":\d+,"event_type":"tool_call_(?:start|result)",.*$/gm;
