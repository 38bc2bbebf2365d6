import type { StandardSchemaV1 } from '@standard-schema/spec';
import { toFailure, type Failure } from '../../core/errors.ts';
import type { ThreadId } from '../../core/ids.ts';
import { refuseStandard } from '../../core/input-issues.ts';
import type { HostCall } from '../../core/protocol.ts';
import { attempt, failed, ok, type Result } from '../../core/result.ts';
import type { RunningTool } from '../../core/tool.ts';

/** What a registered function is told of the call. */
export type FunctionCaller = {
  readonly threadId: ThreadId;
  readonly callId: string;
  /** Aborted once nobody waits for the call any more: its thread is cancelled, suspended or out of time. */
  readonly signal: AbortSignal;
};

/** A tool whose code runs on the host. */
export type HostTool = {
  readonly id: string;
  /** What checks its input; undefined if the worker has done that. */
  readonly standard: StandardSchemaV1<unknown, unknown> | undefined;
  readonly run: (input: never, caller: FunctionCaller) => unknown;
};

/**
 * A hook function: gets the event and its context, may return a control result; on `before_tool` also `{input}`, another input
 * for the tool, and on `context_window_pressure` `{summary}`, a text in the place of most of the conversation.
 */
export type HostHook = (call: {
  readonly event: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly params: unknown;
  readonly threadId: ThreadId;
  /** Aborted once nobody waits for the function any more. */
  readonly signal: AbortSignal;
}) => unknown;

/** The embedder's functions that threads may call. */
export interface HostFunctions {
  /**
   * Returns the name it is called by. Each registration has its own, and none is ever forgotten: threads that have begun with what
   * had its id before go on with that as long as they are in their worker, where the model calls it by its own name.
   */
  addTool(tool: HostTool): string;
  addHook(name: string, hook: HostHook): void;
  /**
   * Calls one; what it throws becomes a failure. A tool's result is JSON text, a hook's a copy: what becomes of the caller's own
   * objects is not told to threads. `done` is called once, but not after `abort`.
   */
  call(call: HostCall, done: (result: Result<unknown>) => void): RunningTool;
}

/** Makes an empty registry. */
export function createHostFunctions(): HostFunctions {
  const tools = new Map<string, HostTool>();
  const hooks = new Map<string, HostHook>();

  const runHook = async ({ name, input, threadId }: HostCall, signal: AbortSignal): Promise<Result<unknown>> => {
    const hook = hooks.get(name);
    if (!hook) return failed({ code: 'hook_failed', message: `No hook function "${name}" is registered` });
    // The worker's hook runner builds this input.
    const call = input as Omit<Parameters<HostHook>[0], 'threadId' | 'signal'>;
    const given = hook({ ...call, threadId, signal });
    return copyOf(isThenable(given) ? await given : given);
  };

  const runTool = async (call: Extract<HostCall, { kind: 'tool' }>, signal: AbortSignal): Promise<Result<unknown>> => {
    const { name, input, threadId, callId } = call;
    const tool = tools.get(name);
    if (!tool) return failed({ code: 'tool_unknown', message: `No tool "${name}" is registered` });
    const checked = tool.standard ? await tool.standard['~standard'].validate(input) : { value: input };
    if (checked.issues) return refuseStandard(checked.issues);
    // Checked by the tool's schema.
    const given = tool.run(checked.value as never, { threadId, callId, signal });
    return textOf(isThenable(given) ? await given : given);
  };

  return {
    addTool(tool) {
      const name = `${tool.id}#${tools.size}`;
      tools.set(name, tool);
      return name;
    },
    addHook: (name, hook) => void hooks.set(name, hook),
    call(call, done) {
      const controller = new AbortController();
      const { signal } = controller;
      const running = call.kind === 'hook' ? runHook(call, signal) : runTool(call, signal);
      // What the function throws is its answer.
      void settle(running, call.kind === 'hook' ? 'hook_failed' : 'tool_failed', (result) => {
        if (!signal.aborted) done(result);
      });
      return { abort: () => controller.abort() };
    },
  };
}

/** What is there is taken at once: the next call may change it. */
function isThenable(given: unknown): given is PromiseLike<unknown> {
  return typeof given === 'object' && given !== null && 'then' in given && typeof given.then === 'function';
}

/** As modules' results are written: what has no form in JSON is null. */
function textOf(given: unknown): Result<string> {
  const text = attempt(() => JSON.stringify(given) ?? 'null');
  return text.ok ? text : refused('tool_failed', "It ran, and its result can't be written as JSON", text.failure);
}

/** Hooks of most events return nothing. */
function copyOf(given: unknown): Result<unknown> {
  const copy =
    typeof given === 'object' || typeof given === 'function' ? attempt(() => structuredClone(given)) : ok(given);
  return copy.ok ? copy : refused('hook_failed', 'What it returned cannot be sent to a worker', copy.failure);
}

function refused(code: 'tool_failed' | 'hook_failed', what: string, { message }: Failure): Result<never> {
  return failed({ code, message: `${what}: ${message}` });
}

async function settle(
  running: Promise<Result<unknown>>,
  code: 'hook_failed' | 'tool_failed',
  done: (result: Result<unknown>) => void,
): Promise<void> {
  let result: Result<unknown>;
  try {
    result = await running;
  } catch (thrown) {
    result = failed(toFailure(thrown, code));
  }
  done(result);
}
