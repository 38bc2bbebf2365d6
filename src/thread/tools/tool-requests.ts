import type { ToolCall } from '../../core/conversation.ts';
import { SkeinError } from '../../core/errors.ts';
import { attempt, attemptResult, failed, ok, type Result } from '../../core/result.ts';
import type { Tool, ToolCaller } from '../../core/tool.ts';
import { DIRECTIVE_RETURN_NAME } from '../../prompt/return-tool.ts';
import { malformation } from '../../providers/text-tools-form.ts';
import { findTool } from '../../tools/find-tool.ts';
import { compileInputCheck } from '../../tools/input-check.ts';
import { isInternalTool } from '../../tools/internal-tool.ts';
import { primaryToolId } from '../../tools/primary-offer.ts';
import { readRequest, type ExecuteRequest, type GivenAction } from '../../tools/primary-request.ts';
import type { ActionSubject } from '../../tools/primary-result.ts';
import { findDenial } from '../../tools/primary-rights.ts';
import { toolNames } from '../../tools/tool-names.ts';
import { checkParams, fitParams } from '../../tools/tool-params.ts';
import type { RunningCall } from '../conversation/history.ts';
import type { ThreadPlan } from '../plan/plan.ts';
import type { ThreadTools } from './thread-tools.ts';
import type { ToolShelf } from './tool-shelf.ts';

type Params = Readonly<Record<string, unknown>>;
type Allows = ToolCaller['allows'];

/** A model's call as it is carried out. */
export type ToolRequest = {
  readonly call: ToolCall;
  /** Name and input of the tool that runs: those of the call, or of what it has `rye/execute` run. */
  readonly name: string;
  readonly input: Params;
  /** The tool, or why there is none. */
  readonly tool: Result<Tool>;
  /** Present if it runs through `rye/execute`: its result is that of the action then (S2 §7.6). */
  readonly subject: ActionSubject | undefined;
  /** What ran for it when its runtime ended, where that interrupted it: hooks may have given it another input. */
  readonly ran?: RunningCall | undefined;
};

/** A tool that an `execute` action runs. */
export type Execution = { readonly tool: Tool; readonly params: Params; readonly subject: ActionSubject };

/** Finds out which tool runs for a call. */
export interface ToolRequests {
  /** A model's call, in a thread with this plan. */
  read(call: ToolCall, plan: ThreadPlan): ToolRequest;
  /**
   * A call with the input that a hook gave it, as JSON has that. It is held to the tool's schema and to the rights of the thread as if the
   * model had called it so; what it may not or can't be is the reason why no tool runs.
   */
  rewrite(request: ToolRequest, input: Params, plan: ThreadPlan): ToolRequest;
  /**
   * The tool that an action runs, or why it may not or can't. Undefined for an action that is none of a tool, that only
   * describes a call, or that is wrong in itself: those are the dispatcher's.
   */
  execution(action: GivenAction, allows: Allows): Result<Execution> | undefined;
}

/** What tools are found with. */
export type ToolRequestSources = {
  readonly tools: Pick<ToolShelf, 'find'>;
  readonly threadTools: ThreadTools;
  readonly primaryTools: readonly Tool[];
};

const EXECUTE = primaryToolId('execute');

/**
 * Makes the requests of a worker. A model that has `rye/execute` run a tool gets what it would get if it called the tool by
 * its name: the tool waits for others, gives its slot back, ends the thread as the tool it is, and the log names it.
 */
export function createToolRequests({ tools, threadTools, primaryTools }: ToolRequestSources): ToolRequests {
  const { directiveReturn } = threadTools;
  const execute = primaryTools.find(({ id }) => id === EXECUTE);
  const check = compileInputCheck(execute?.inputSchema ?? false);
  const prepare = (request: ExecuteRequest, allows: Allows): Result<Execution> => {
    const denial = findDenial(request, { allows });
    return denial ? failed(denial) : findExecuted(request, tools);
  };
  const executed = (input: Params, { allows }: ThreadPlan): Result<Execution> | undefined => {
    const checked = check(input);
    const request = checked.ok ? readExecution(checked.value) : undefined;
    if (request?.id !== directiveReturn.id) return request && prepare(request, allows);
    return ok({ tool: directiveReturn, params: request.params, subject: subjectOf(request) });
  };
  const read: ToolRequests['read'] = (call, plan) => {
    if (call.name === DIRECTIVE_RETURN_NAME) return plainRequest(call, ok(directiveReturn));
    const message = malformation(call);
    if (message !== undefined) return plainRequest(call, failed({ code: 'tool_input_invalid', message }));
    // Whether it is offered or not: every thread may have it run directive_return.
    const inner = plan.palette.idOf(call.name) === EXECUTE ? executed(call.input, plan) : undefined;
    if (!inner?.ok) return plainRequest(call, inner ?? findTool(plan.palette, call.name));
    const { params, subject } = inner.value;
    return { call, name: nameOf(inner.value.tool, plan), input: params, tool: ok(inner.value.tool), subject };
  };
  return {
    read,
    rewrite(request, given, plan) {
      const copy = jsonCopy(given);
      if (!copy.ok) return { ...request, tool: copy };
      const input = copy.value;
      const again = request.subject
        ? { ...request, input, tool: allowedTool(request.tool, plan) }
        : { ...read({ ...request.call, input }, plan), call: request.call };
      const checked = again.tool.ok ? checkInput(again.tool.value, again.input) : again.tool;
      return checked.ok ? { ...again, input: checked.value } : { ...again, tool: checked };
    },
    execution(action, allows) {
      const request = readExecution(action);
      return request && prepare(request, allows);
    },
  };
}

/** A call of what it names. */
function plainRequest(call: ToolCall, tool: Result<Tool>): ToolRequest {
  return { call, name: call.name, input: call.input, tool, subject: undefined };
}

/** The tool of an `execute` action, if the thread may still run it. */
function allowedTool(tool: Result<Tool>, { allows }: ThreadPlan): Result<Tool> {
  if (!tool.ok || allows('execute', 'tool', tool.value.id)) return tool;
  return failed({ code: 'permission_denied', message: `This thread may not run ${tool.value.id}` });
}

/** As it would come from a model: what a function gives may be anything. */
function jsonCopy(given: Params): Result<Params> {
  const copy = attempt(() => JSON.parse(JSON.stringify(given)) as Params);
  if (copy.ok) return copy;
  const message = `What a hook gave as the input cannot be written as JSON: ${copy.failure.message}`;
  return failed({ code: 'tool_input_invalid', message });
}

function checkInput(tool: Tool, input: Params): Result<Params> {
  return attemptResult(() => checkParams(tool, input));
}

/** What is wrong in the action itself is left to whoever carries actions out. */
function readExecution(action: GivenAction): ExecuteRequest | undefined {
  try {
    const { request } = readRequest(action);
    const isCall = request.primary === 'execute' && request.kind === 'tool' && !request.dryRun;
    return isCall && !isInternalTool(request.id) ? request : undefined;
  } catch (thrown) {
    if (thrown instanceof SkeinError) return undefined;
    throw thrown;
  }
}

function findExecuted(request: ExecuteRequest, tools: Pick<ToolShelf, 'find'>): Result<Execution> {
  return attemptResult(() => {
    const tool = tools.find(request.id, request.source);
    const params = fitParams(tool, request.params, request.form);
    return params.ok ? ok({ tool, params: params.value, subject: subjectOf(request) }) : params;
  });
}

function subjectOf({ kind, id }: ExecuteRequest): ActionSubject {
  return { type: kind, item_id: id };
}

/** A tool whose file is younger than the plan has no name in its palette yet. */
function nameOf({ id }: Tool, { palette }: ThreadPlan): string {
  return palette.nameOf(id) ?? toolNames([id], []).get(id) ?? id;
}
