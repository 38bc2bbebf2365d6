import type { StandardSchemaV1 } from '@standard-schema/spec';
import { toFailure } from '../../core/errors.ts';
import { refuseStandard } from '../../core/input-issues.ts';
import type { HostQuestion } from '../../core/protocol.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import type { ThreadId } from '../../core/ids.ts';

type Call = Extract<HostQuestion, { type: 'hostCall' }>;

/** A tool whose code runs on the host. */
export type HostTool = {
  readonly id: string;
  readonly input: StandardSchemaV1<unknown, unknown> | undefined;
  readonly run: (input: never, caller: { readonly threadId: ThreadId }) => unknown;
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
}) => unknown;

/** The embedder's functions that threads may call. */
export interface HostFunctions {
  addTool(tool: HostTool): void;
  addHook(name: string, hook: HostHook): void;
  /** Calls one; what it throws becomes a failure. `done` is called once. */
  call(call: Call, done: (result: Result<unknown>) => void): void;
}

/** Makes an empty registry. */
export function createHostFunctions(): HostFunctions {
  const tools = new Map<string, HostTool>();
  const hooks = new Map<string, HostHook>();

  const run = async ({ kind, name, input, threadId }: Call): Promise<Result<unknown>> => {
    if (kind === 'hook') {
      const hook = hooks.get(name);
      if (!hook) return failed({ code: 'hook_failed', message: `No hook function "${name}" is registered` });
      // The worker's hook runner builds this input.
      const call = input as Omit<Parameters<HostHook>[0], 'threadId'>;
      return ok(await hook({ ...call, threadId }));
    }
    const tool = tools.get(name);
    if (!tool) return failed({ code: 'tool_unknown', message: `No tool "${name}" is registered` });
    const checked = tool.input ? await tool.input['~standard'].validate(input) : { value: input };
    if (checked.issues) return refuseStandard(checked.issues);
    // Checked by the tool's own schema.
    return ok(await tool.run(checked.value as never, { threadId }));
  };

  return {
    addTool: (tool) => void tools.set(tool.id, tool),
    addHook: (name, hook) => void hooks.set(name, hook),
    call(call, done) {
      const code = call.kind === 'hook' ? 'hook_failed' : 'tool_failed';
      // What the function throws is its answer.
      void settle(run(call), code, done);
    },
  };
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
