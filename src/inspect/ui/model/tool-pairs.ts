import type { LogEvent } from '../../api.ts';

/** A call as a carried answer has it. */
export type CarriedCall = { readonly id: unknown; readonly name: unknown; readonly input: unknown };

/** What belongs together of a log. */
export type ToolPairs = {
  /** Results by the events of their calls. */
  readonly results: ReadonlyMap<LogEvent, LogEvent>;
  /** Calls by the events of their results, of those that another thread has made: only the answer tells of such a call. */
  readonly carried: ReadonlyMap<LogEvent, CarriedCall>;
};

/** Finds calls and results that belong together. Some servers give an id again, once its call has its result. */
export function toolPairs(events: readonly LogEvent[]): ToolPairs {
  const results = new Map<LogEvent, LogEvent>();
  const carried = new Map<LogEvent, CarriedCall>();
  const open = new Map<unknown, LogEvent>();
  const taken = new Map<unknown, CarriedCall>();
  for (const event of events) {
    const { event_type: type, payload } = event;
    const id = payload['call_id'];
    if (type === 'cognition_out' && isCarried(event)) for (const call of callsOf(payload)) taken.set(call.id, call);
    if (type === 'tool_call_start') open.set(id, event);
    if (type !== 'tool_call_result') continue;
    const call = open.get(id);
    const before = taken.get(id);
    if (isCarried(event)) {
      if (before) carried.set(event, before);
    } else if (call) results.set(call, event);
    open.delete(id);
  }
  return { results, carried };
}

/** Whether it is of the thread that this one goes on from. */
export function isCarried({ payload }: LogEvent): boolean {
  return payload['carried'] === true;
}

function callsOf({ tool_calls: calls }: LogEvent['payload']): readonly CarriedCall[] {
  // As the runtime has written them.
  return Array.isArray(calls) ? (calls as readonly CarriedCall[]) : [];
}
