import type { EventPayloads } from '../core/events.ts';
import type { ToolRun } from './thread.ts';
import type { ToolRequest } from './tool-requests.ts';

/** The calls of one answer, none of them started. */
export function createToolRun(requests: readonly ToolRequest[]): ToolRun {
  return {
    requests,
    results: requests.map(() => undefined),
    running: new Map(),
    startedAt: [],
    next: 0,
    active: 0,
    waiting: 0,
    left: requests.length,
    starting: false,
  };
}

/** The event that names the tool that runs, and beside it the model's own call where that was another. */
export function startEvent({ call, name, input, subject }: ToolRequest): EventPayloads['tool_call_start'] {
  return {
    tool: name,
    call_id: call.id,
    input,
    ...(subject && { called_as: { tool: call.name, input: call.input } }),
  };
}
