import type { EventPayloads } from '../../core/events.ts';
import type { WaitingThread } from '../../core/protocol.ts';
import type { Thread, ToolRun } from '../thread.ts';
import type { ToolRequest } from '../tools/tool-requests.ts';

/**
 * The calls of one answer, none of them started; `announced`: the log says that they start; `interruptedAt`: they may have
 * run before, 0 where no runtime has ended.
 */
export function createToolRun(requests: readonly ToolRequest[], announced: boolean, interruptedAt?: number): ToolRun {
  return {
    requests,
    results: requests.map(() => undefined),
    running: undefined,
    startedAt: [],
    next: 0,
    active: 0,
    waiting: 0,
    left: requests.length,
    starting: false,
    announced,
    decided: announced,
    interruptedAt,
    waited: undefined,
  };
}

/** Calls that were cut off: of each it is to be decided whether it runs, or runs again. */
export function createOpenRun(requests: readonly ToolRequest[]): ToolRun {
  return { ...createToolRun(requests, true, 0), decided: false };
}

/** Calls that have waited for other threads when their thread left its worker: they wait again. */
export function createWaitingRun(requests: readonly ToolRequest[], waited: WaitingThread['calls']): ToolRun {
  return { ...createToolRun(requests, true), next: requests.length, waited };
}

/** The event that names the tool that runs and its input, and beside it the model's own call where that was another. */
export function startEvent({ call, name, input, subject }: ToolRequest): EventPayloads['tool_call_start'] {
  const started = { tool: name, call_id: call.id, input };
  const isOther = subject !== undefined || input !== call.input;
  return isOther ? { ...started, called_as: { tool: call.name, input: call.input } } : started;
}

/**
 * Whether the start of one of the calls must be on disk before it runs. After the end of a runtime that of any: such a call may have
 * ended it, before it or the answer was on disk (ADR 71).
 */
export function mustRecord({ wasCutOff }: Thread, requests: readonly ToolRequest[]): boolean {
  return wasCutOff || requests.some(({ tool }) => tool.ok && !tool.value.idempotent);
}
