import type { HookEvent } from '../../core/hook-events.ts';
import { isRecord, own } from '../../core/record.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import type { RunningTool } from '../../core/tool.ts';
import { faultLine } from '../../core/zod-fault.ts';
import type { DispatchContext } from '../../tools/dispatcher.ts';
import { isInternalTool } from '../../tools/internal-tool.ts';
import { outcomeResult, resultOutcome } from '../../tools/primary-outcome.ts';
import type { PrimaryResult } from '../../tools/primary-result.ts';
import { controlSchema, type Control } from './control.ts';
import type { HookActionOrder, HookAnswer, HookDone } from './hook-action.ts';
import { toControl } from '../internal/control-result.ts';
import { CONTROL } from '../internal/internal-tools.ts';
import { isThreadTool, type ThreadTool } from '../tools/thread-tool.ts';
import type { Execution } from '../tools/tool-requests.ts';

type Params = Readonly<Record<string, unknown>>;

/** Who is told of an action. */
export type HookCallback = {
  readonly done: HookDone;
  /** Nothing but other threads is waited for from now on. */
  readonly waits: () => void;
  /** The hook runs beside what the thread does. */
  readonly isBeside: boolean;
};

/** Starts an action: a function of the host, an internal tool, a thread tool, or what the dispatcher makes of it. */
export function carryOut(order: HookActionOrder, callback: HookCallback): RunningTool | undefined {
  const { action, context } = order;
  const params = action.params(context);
  if (action.hostFunction !== undefined) return askHost(order, { name: action.hostFunction, params }, callback.done);
  if (action.short === 'internal') {
    callInternal(order, params, callback.done);
    return undefined;
  }
  const written = { ...action.attributes, params };
  const executed = findThreadTool(order, written);
  return executed ? callThreadTool(order, executed, callback) : dispatch(order, written, callback.done);
}

type HostCall = { readonly name: string; readonly params: Params };

/** Calls a function of the embedder. */
function askHost({ thread, services, event, context }: HookActionOrder, call: HostCall, done: HookDone): RunningTool {
  const { threadId } = thread.lineage;
  const input = { event, context, params: call.params };
  return services.host.ask({ type: 'hostCall', kind: 'hook', name: call.name, input, threadId }, (answer) =>
    done(answer.ok ? readAnswer(answer.value, event) : answer),
  );
}

/** Events whose hooks may answer with a text. */
const SAYS: ReadonlySet<HookEvent> = new Set(['thread_started', 'thread_continued', 'build_system_prompt']);

/** Only a well-formed control result controls; an object without `action` is no opinion, and anything else is a mistake. */
function readAnswer(value: unknown, event: HookEvent): Result<HookAnswer> {
  const isNothing = value === undefined || value === null;
  if (!isNothing && !isPlain(value) && !SAYS.has(event)) return noControl('it is neither an object nor nothing');
  if (!isPlain(value) || own(value, 'action') === undefined) return ok({ value, control: undefined });
  const { data: control, error } = controlSchema.safeParse(value);
  return control ? ok({ value, control }) : noControl(faultLine(error));
}

/** As objects of any class come from the host, but for those of the language, such as an error or a map. */
function isPlain(value: unknown): value is Params {
  return isRecord(value) && Object.getPrototypeOf(value) === Object.prototype;
}

function noControl(fault: string): Result<never> {
  return failed({ code: 'hook_failed', message: `What it returned is no control result: ${fault}` });
}

/** The short way, for what may run in every step of every thread. */
function callInternal({ thread, services, action }: HookActionOrder, params: Params, done: HookDone): void {
  const tool = services.internalTools.get(action.itemId);
  if (!tool) return done(failed({ code: 'item_not_found', message: `There is no internal tool "${action.itemId}"` }));
  const input = tool.read(params);
  if (!input.ok) return done(input);
  const control = decisionIn(action.itemId, input.value);
  tool.run({ thread, services, input: input.value }, (outcome) =>
    done(outcome.ok ? ok({ value: outcome.value, control }) : outcome),
  );
}

/** What the execution of an internal tool decides about the thread, whichever way it was called. */
function decisionIn(id: string, input: Params): Control | undefined {
  return id === CONTROL ? toControl(input) : undefined;
}

type ThreadToolExecution = Execution & { readonly tool: ThreadTool };

/** The thread tool that an action is a call of; what may not be called, or only described, is the dispatcher's to say. */
function findThreadTool(order: HookActionOrder, written: Params): ThreadToolExecution | undefined {
  const { thread, services, action } = order;
  if (thread.ended || !services.threadTools.granted.some(({ id }) => id === action.itemId)) return undefined;
  const found = services.requests.execution(written, allowsOf(order));
  if (!found?.ok || !isThreadTool(found.value.tool)) return undefined;
  return { ...found.value, tool: found.value.tool };
}

function callThreadTool(
  { thread, services, hook, depth: hookDepth }: HookActionOrder,
  { tool, params: input, subject }: ThreadToolExecution,
  { done, waits, isBeside }: HookCallback,
): RunningTool | undefined {
  return tool.runFor({ thread, services, input, waits, isBeside, maxWaitMs: hook.timeoutMs, hookDepth }, (outcome) =>
    done(toAnswer(outcomeResult(subject, outcome), undefined)),
  );
}

function dispatch(order: HookActionOrder, written: Params, done: HookDone): RunningTool | undefined {
  let control: Control | undefined;
  const caller = callerOf(order, (decided) => (control = decided));
  return order.services.dispatcher.dispatch(written, caller, (result) => done(toAnswer(result, control)));
}

function toAnswer(result: PrimaryResult, control: Control | undefined): Result<HookAnswer> {
  const outcome = resultOutcome(result);
  return outcome.ok ? ok({ value: outcome.value, control }) : outcome;
}

/** `decide` is told what an internal tool that is executed, and not only described, decides. */
function callerOf(order: HookActionOrder, decide: (control: Control | undefined) => void): DispatchContext {
  const { thread, services, hook } = order;
  return {
    threadId: thread.lineage.threadId,
    callId: `hook ${hook.id}`,
    projectPath: services.projectPath,
    allows: allowsOf(order),
    internal(id) {
      const tool = services.internalTools.get(id);
      if (!tool) return undefined;
      return {
        read: tool.read,
        run(input, done) {
          decide(decisionIn(id, input));
          tool.run({ thread, services, input }, done);
          return undefined;
        },
      };
    },
  };
}

/** Executing an internal tool is about the hook's own thread and needs no capability (ADR 14); all else is as for any item. */
function allowsOf({ thread, hook }: HookActionOrder): DispatchContext['allows'] {
  if (hook.rights === 'all') return () => true;
  return (primary, kind, id) =>
    (primary === 'execute' && kind === 'tool' && isInternalTool(id ?? '')) || thread.plan.allows(primary, kind, id);
}
