import { SpanStatusCode, type Attributes } from '@opentelemetry/api';
import type { EventPayloads } from '../../core/events.ts';
import { failureStart } from '../../core/tool.ts';
import { toolMessageJson } from './gen-ai.ts';
import type { Telling } from './telling.ts';
import type { ThreadTrace, ToolTrace } from './thread-trace.ts';

/** A call of a tool has its result. */
export function endTool(thread: ThreadTrace, result: EventPayloads['tool_call_result'], telling: Telling): void {
  const tool = thread.tools.get(result.call_id);
  if (result.carried) return;
  thread.tools.delete(result.call_id);
  const text = result.output ?? result.error ?? '';
  if (telling.content) thread.said.push(toolMessageJson(result.call_id, text));
  writeTool(thread, telling, {
    callId: result.call_id,
    tool,
    startedAt: thread.lastAt - result.duration_ms,
    ...(result.error !== undefined && { mistake: mistakeOf(result.error) }),
    ...(telling.content && { result: text }),
  });
}

function mistakeOf(error: string): string {
  return error.startsWith(failureStart(UNKNOWN)) ? UNKNOWN : 'tool_error';
}

/** Code of a call that names no tool. */
const UNKNOWN = 'tool_unknown';

/** Calls of tools that a thread has left behind. */
export function endTools(thread: ThreadTrace, telling: Telling): void {
  for (const [callId, tool] of thread.tools) {
    writeTool(thread, telling, { callId, tool, startedAt: tool.startedAt, mistake: 'interrupted' });
  }
  thread.tools.clear();
}

type ToolEnd = {
  readonly callId: string;
  /** Unknown if it was called before this runtime. */
  readonly tool: ToolTrace | undefined;
  readonly startedAt: number;
  /** Its type, if it failed. */
  readonly mistake?: string;
  /** Known only if content is asked for. */
  readonly result?: string;
};

function writeTool(thread: ThreadTrace, { tracer, instruments, clean }: Telling, end: ToolEnd): void {
  const { tool, mistake, result } = end;
  // A name that no tool has is what the model made up: each would be a time series of its own.
  const toolName = mistake === UNKNOWN ? undefined : tool?.tool;
  if (thread.turn) thread.turn.lastAt = thread.lastAt;
  const shared: Attributes = {
    'gen_ai.operation.name': 'execute_tool',
    ...(toolName !== undefined && { 'gen_ai.tool.name': toolName }),
    ...(mistake !== undefined && { 'error.type': mistake }),
  };
  instruments.toolDuration.record((thread.lastAt - end.startedAt) / 1000, shared);
  const attributes: Attributes = {
    ...shared,
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': end.callId,
    'skein.thread.id': thread.id,
    ...(tool?.input !== undefined && { 'gen_ai.tool.call.arguments': clean(tool.input) }),
    ...(result !== undefined && { 'gen_ai.tool.call.result': clean(result) }),
  };
  const name = toolName === undefined ? 'execute_tool' : `execute_tool ${toolName}`;
  const above = thread.turn ?? thread;
  const startedAt = Math.min(thread.lastAt, Math.max(end.startedAt, tool?.startedAt ?? 0));
  const options = { startTime: within(above, startedAt), attributes };
  const span = tracer.startSpan(name, options, above.context);
  if (mistake !== undefined) {
    span.setStatus({ code: SpanStatusCode.ERROR, ...(result !== undefined && { message: clean(result) }) });
  }
  span.end(new Date(thread.lastAt));
}

/** The actions of a hook are done. Those around a turn's calls are below the turn, all others below the thread. */
export function writeHook(
  thread: ThreadTrace,
  hook: EventPayloads['hook_ran'],
  { at, telling }: { readonly at: number; readonly telling: Telling },
): void {
  const { tracer, instruments } = telling;
  const failed = hook.error !== undefined && { 'error.type': hook.error };
  const shared = { 'skein.hook.id': hook.hook, 'skein.hook.event': hook.event, ...failed };
  instruments.hookDuration.record(hook.duration_ms / 1000, shared);
  const attributes = {
    ...shared,
    'skein.thread.id': thread.id,
    ...(hook.decision !== undefined && { 'skein.hook.decision': hook.decision }),
  };
  const turn = IN_TURN.has(hook.event) ? thread.turn : undefined;
  if (turn) turn.lastAt = Math.max(turn.lastAt, at);
  const above = turn ?? thread;
  const options = { startTime: within(above, at - hook.duration_ms), attributes };
  const span = tracer.startSpan(`hook ${hook.hook}`, options, above.context);
  if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(within(above, at));
}

/**
 * No time before what a span is below: an end and a duration are rounded each for itself, a call may be from before a suspension,
 * and the clock may have been moved back.
 */
function within({ startedAt }: Pick<ThreadTrace, 'startedAt'>, at: number): Date {
  return new Date(Math.max(startedAt, at));
}

const IN_TURN: ReadonlySet<string> = new Set(['before_tool', 'after_tool', 'after_step', 'error']);
