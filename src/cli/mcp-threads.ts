import { resolveLimits } from '../config/limits.ts';
import type { Config } from '../config/config.ts';
import { fromFailure, SkeinError } from '../core/errors.ts';
import { isOperation, operationInput, OPERATIONS } from '../core/operations.ts';
import { attemptLater } from '../core/result.ts';
import { asyncReturn, syncReturn } from '../core/thread-return.ts';
import type { Tool, ToolCaller, ToolOutcome } from '../core/tool.ts';
import type { LimitOverrides, Runtime, RuntimeOrchestrator } from '../index.ts';
import { capabilityName } from '../items/capability.ts';
import type { ItemCache } from '../items/item-cache.ts';
import { compileInputCheck } from '../tools/input-check.ts';
import { denial } from '../tools/primary-rights.ts';
import { usagePayload } from './usage-payload.ts';

/** What the thread tools of an MCP server are made from. */
export type McpThreadsOptions = {
  readonly config: Config;
  readonly items: () => Pick<ItemCache, 'tool' | 'directive'>;
  /** Starts the project's runtime: called when the first tool needs it, and again after it failed or has stopped by itself. */
  readonly start: () => Promise<RuntimeOfThreads>;
};

/** What the thread tools need of a runtime. */
export type RuntimeOfThreads = Pick<Runtime, 'spawn' | 'waitAll' | 'close'> & {
  readonly orchestrator: Pick<RuntimeOrchestrator, 'callForModel'>;
};

/** The thread tools for callers outside of any thread: the same files say what they take, a runtime carries them out. */
export interface McpThreads {
  /** `rye/agent/threads/thread_directive` and `rye/agent/threads/orchestrator`. */
  tool(id: string): Tool | undefined;
  /** Closes the runtime, if there is one: what still runs is suspended, and no other is started. */
  close(): Promise<void>;
}

/** Makes the thread tools; no runtime is started yet. */
export function createMcpThreads({ config, items, start }: McpThreadsOptions): McpThreads {
  let starting: Promise<RuntimeOfThreads> | undefined;
  let isClosed = false;
  const inRuntime: InRuntime = async (work) => {
    if (isClosed) throw new SkeinError('runtime_closed', 'This server ends: it does nothing with threads any more');
    const own = (starting ??= start());
    let runtime: RuntimeOfThreads | undefined;
    try {
      runtime = await own;
      return await work(runtime);
    } catch (thrown) {
      if (runtime && !hasStopped(thrown)) throw thrown;
      // Until it is closed it holds the project.
      await runtime?.close();
      if (starting === own) starting = undefined;
      throw thrown;
    }
  };
  const codes = new Map<string, Code>([
    ['rye/agent/threads/thread_directive', (call) => runDirective(call, { config, items, inRuntime })],
    ['rye/agent/threads/orchestrator', ({ input }) => inRuntime((runtime) => orchestrateIn(runtime, input))],
  ]);
  return {
    tool: (id) => {
      const code = codes.get(id);
      return code && createTool(id, code, items());
    },
    close: async () => {
      isClosed = true;
      // One that could not start has nothing to close.
      const running = await starting?.catch(() => undefined);
      await running?.close();
    },
  };
}

/** Does something in the runtime, which is started if there is none. */
type InRuntime = <Done>(work: (runtime: RuntimeOfThreads) => Promise<Done>) => Promise<Done>;

function hasStopped(thrown: unknown): boolean {
  return thrown instanceof SkeinError && thrown.code === 'runtime_closed';
}

type Input = Readonly<Record<string, unknown>>;
type Call = { readonly input: Input; readonly caller: ToolCaller; readonly signal: AbortSignal };
type Code = (call: Call) => Promise<unknown>;

/** The file of the system space says what the tool takes, whatever file of the project has its id. */
function createTool(id: string, code: Code, items: Pick<ItemCache, 'tool'>): Tool {
  const { description, inputSchema, idempotent } = items.tool(id, 'system');
  const check = compileInputCheck(inputSchema);
  return {
    id,
    description,
    inputSchema,
    idempotent,
    run(given, caller, done) {
      const cancel = new AbortController();
      const settle = (outcome: ToolOutcome): void => {
        if (!cancel.signal.aborted) done(outcome);
      };
      const checked = check(given);
      if (checked.ok) {
        const call = { input: checked.value, caller, signal: cancel.signal };
        // An attempt never rejects.
        void attemptLater(() => code(call), 'tool_failed').then(settle);
      } else settle(checked);
      return { abort: () => cancel.abort() };
    },
  };
}

/** What the file of `thread_directive` declares. */
type DirectiveInput = {
  readonly directive_name: string;
  readonly async_exec: boolean;
  readonly inputs: Input;
  readonly model?: string;
  readonly limit_overrides?: Input;
};

type Sources = Pick<McpThreadsOptions, 'config' | 'items'> & { readonly inRuntime: InRuntime };

/** S2 §6.8. The thread has the rights that its directive declares, and no more than its limits. */
async function runDirective({ input, caller, signal }: Call, sources: Sources): Promise<unknown> {
  // Checked against its file.
  const { directive_name: id, async_exec, inputs, model, limit_overrides: overrides } = input as DirectiveInput;
  if (!caller.allows('execute', 'directive', id)) throw fromFailure(denial(capabilityName('execute', 'directive', id)));
  if (overrides) refuseRaised(id, overrides, sources);
  const limits = overrides as LimitOverrides | undefined;
  const options = { signal, ...(model !== undefined && { model }), ...(limits && { limits }) };
  return sources.inRuntime(async (runtime) => {
    signal.throwIfAborted();
    const thread = await runtime.spawn(id, inputs, options);
    if (async_exec) return asyncReturn(thread.id, id);
    const [wait] = await runtime.waitAll([thread.id]);
    return { ...syncReturn(thread.id, wait ?? UNKNOWN, usagePayload), directive: id };
  });
}

/** A wait has an entry for each id that was asked for. */
const UNKNOWN = { status: 'not_found', ending: undefined } as const;

/** There is no parent to cap them, and whoever asks is a model. */
function refuseRaised(id: string, overrides: Input, { config, items }: Sources): void {
  const directive = items().directive(id);
  const { defaults } = config.resilience.limits;
  const own = resolveLimits({ defaults, directive }).limits;
  const asked = resolveLimits({ defaults, directive, overrides }).limits;
  const names = Object.keys(own) as (keyof typeof own)[]; // the keys of an object of ours
  const raised = names.filter((name) => asked[name] > own[name]);
  if (raised.length === 0) return;
  const message = `limit_overrides can lower the limits of ${id} and not raise them; raised: ${raised.join(', ')}`;
  throw new SkeinError('tool_input_invalid', message);
}

/** What an operation has no use for is ignored, as it is for threads. */
async function orchestrateIn({ orchestrator }: RuntimeOfThreads, input: Input): Promise<unknown> {
  // Checked against its file.
  const { operation, action } = input as { readonly operation?: string; readonly action?: string };
  const named = operation ?? action ?? '';
  // The operation itself checks what it is given.
  if (isOperation(named)) return orchestrator.callForModel(named, operationInput(named, input));
  throw new SkeinError('tool_input_invalid', `An operation is needed: ${Object.keys(OPERATIONS).join(', ')}`);
}
