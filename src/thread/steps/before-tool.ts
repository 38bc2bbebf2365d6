import type { Failure } from '../../core/errors.ts';
import { isRecord, own } from '../../core/record.ts';
import { failed } from '../../core/result.ts';
import type { Tool } from '../../core/tool.ts';
import { DIRECTIVE_RETURN_ID } from '../../prompt/directive-prompt.ts';
import type { Control } from '../hooks/control.ts';
import type { InWorker } from '../conversation/conversation.ts';
import type { Effect } from './effects.ts';
import { suspendAsAsked } from './asked-suspension.ts';
import { denial } from './denial.ts';
import type { HookAnswer } from '../hooks/hook-action.ts';
import type { Hook, HookAction } from '../hooks/hooks.ts';
import { inTurn } from '../hooks/in-turn.ts';
import { decideInterrupted } from './interrupted-call.ts';
import { obeyControl, type Subject } from '../hooks/obey-control.ts';
import { answerTo } from './person-answers.ts';
import { runHooks, warnOfHook } from '../hooks/run-hooks.ts';
import { createToolRun, mustRecord, startEvent } from './tool-run.ts';
import type { ToolRequest } from '../tools/tool-requests.ts';

/**
 * Runs the `before_tool` hooks for the calls of an answer, one call after the other. None of them starts before all are
 * decided, so that their starts are on disk with one commit. What is refused or wrongly rewritten has an error result. A
 * thread that is suspended meanwhile keeps its calls open: their hooks are asked again when it goes on, and people are not
 * (ADR 26). Calls that were cut off come here again as well (ADR 40).
 */
export const askBeforeTools: Effect = (thread, services) => {
  const { toolRun } = thread;
  if (!toolRun) throw new Error('askBeforeTools without calls');
  if (suspendAsAsked(thread)) return;
  const decided: ToolRequest[] = [];
  inTurn(
    toolRun.requests,
    (request, next) =>
      decideInterrupted({ thread, services }, request, (left) =>
        askHooks({ thread, services }, left, (allowed) => {
          decided.push(allowed);
          next();
        }),
      ),
    () => {
      const { announced, interruptedAt } = toolRun;
      thread.toolRun = createToolRun(decided, true, interruptedAt);
      if (!announced)
        for (const request of decided) services.journal.record(thread, 'tool_call_start', startEvent(request));
      thread.send({ type: 'TOOLS_ALLOWED', next: mustRecord(thread, decided) ? 'record' : 'tools' });
    },
  );
};

/** The tool that hooks hear of; none for a call that runs nothing, and `directive_return` has an event of its own. */
export function hookedTool({ tool }: ToolRequest): Tool | undefined {
  return tool.ok && tool.value.id !== DIRECTIVE_RETURN_ID ? tool.value : undefined;
}

/** `done` is not called if a hook takes the thread out of its turn. */
function askHooks(worker: InWorker, request: ToolRequest, done: (request: ToolRequest) => void): void {
  const { thread, services } = worker;
  const tool = hookedTool(request);
  if (!tool) return done(request);
  const event = 'before_tool';
  let asked = request;
  // A rewriting may make another tool of it, and one that can't be used is of the tool that it was.
  let usable = { request, tool };
  const toolId = (): string => usable.tool.id;
  const isOver = (): boolean => asked.tool.ok && !hookedTool(asked);
  const context = (): Readonly<Record<string, unknown>> => ({
    thread_id: thread.lineage.threadId,
    tool: toolId(),
    input: asked.input,
  });
  const take = (answer: HookAnswer, by: Hook, action: HookAction): Readonly<Record<string, unknown>> | undefined => {
    const input = rewrittenInput(answer, action);
    if (input === undefined) return undefined;
    asked = rewrite({ ...worker, by }, { usable: usable.request, asked, input });
    if (asked.tool.ok) usable = { request: asked, tool: asked.tool.value };
    return context();
  };
  // A person answers for this call with this input.
  const subject = (): Subject => ({ id: asked.call.id, text: `${toolId()} ${JSON.stringify(asked.input)}` });
  runHooks({ thread, services, event, context, take, subject, isOver }, (control, by, failure) => {
    if (control?.action === 'skip') return done(refused(asked, control, failure));
    const decided = { thread, services, event, by, subject } as const;
    const answer = answerTo(decided, control);
    if (answer?.granted === false) return done(refused(asked, { error: denial(answer) }, undefined));
    if (!obeyControl(decided, control)) done(asked);
  });
}

/** Only a function of the host rewrites (contracts, `before_tool`). */
function rewrittenInput({ value }: HookAnswer, { hostFunction }: HookAction): unknown {
  return hostFunction !== undefined && isRecord(value) ? own(value, 'input') : undefined;
}

type Rewriting = {
  /** What was asked about last and could have run. */
  readonly usable: ToolRequest;
  readonly asked: ToolRequest;
  readonly input: unknown;
};

/** The call with another input; one that can't be used is a warning, and the call does not run as it was. */
function rewrite(
  { thread, services, by }: InWorker & { readonly by: Hook },
  { usable, asked, input }: Rewriting,
): ToolRequest {
  if (by.layer === 3) {
    warnOfHook({ thread, services, hook: by }, { code: 'hook_failed', message: 'A hook of layer 3 rewrites no input' });
    return asked;
  }
  const rewritten = isRecord(input)
    ? services.requests.rewrite(usable, input, thread.plan)
    : { ...usable, tool: failed(NO_INPUT) };
  if (!rewritten.tool.ok) warnOfHook({ thread, services, hook: by }, rewritten.tool.failure);
  return rewritten;
}

const NO_INPUT: Failure = { code: 'tool_input_invalid', message: 'What a hook gave as the input is no object' };

function refused(request: ToolRequest, { error }: Pick<Control, 'error'>, failure: Failure | undefined): ToolRequest {
  const message = error ?? 'A hook does not let this call pass';
  return { ...request, tool: failed({ code: failure ? 'hook_failed' : 'permission_denied', message }) };
}
