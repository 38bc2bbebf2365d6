import type { RunningTool, Tool, ToolOutcome } from '../../core/tool.ts';
import type { ItemCache } from '../../items/item-cache.ts';
import { compileInputCheck } from '../../tools/input-check.ts';
import type { InWorker } from '../conversation/conversation.ts';

type Params = Readonly<Record<string, unknown>>;

/** A call of a thread tool. */
export type ThreadToolCall = InWorker & {
  readonly input: Params;
  /** Longest it may wait for other threads, milliseconds; undefined = as long as it takes. */
  readonly maxWaitMs: number | undefined;
  /** Number of hooks that led to the call; undefined = a model's. */
  readonly hookDepth?: number;
  /** It is of a hook that runs beside what the thread does. */
  readonly isBeside?: boolean;
  /** Id of the model's call; undefined = a hook's. */
  readonly callId?: string;
  /** It was started before: a runtime that has ended, a suspension or a limit cut it off. */
  readonly isAgain?: boolean;
  /** To be called when nothing but other threads is waited for: the slot may be given back. */
  readonly waits: () => void;
};

/** What a thread tool does; its input fits the schema of its file. */
export type ThreadToolCode = {
  readonly id: string;
  /** Whether a call that was cut off does no harm when it is made again; absent = as the file says. */
  readonly mayRunAgain?: (input: Params) => boolean;
  readonly run: (call: ThreadToolCall, done: (outcome: ToolOutcome) => void) => RunningTool | undefined;
};

/** A tool that runs in the thread's own worker because it is about threads (contracts, `rye/agent/threads/*`). */
export interface ThreadTool extends Tool {
  /** Whether a call that was cut off does no harm when it is made again. */
  mayRunAgain(input: Params): boolean;
  runFor(call: ThreadToolCall, done: (outcome: ToolOutcome) => void): RunningTool | undefined;
}

/** Whether a tool is one that needs to know its thread. */
export function isThreadTool(tool: Tool): tool is ThreadTool {
  return 'runFor' in tool;
}

/**
 * Makes a thread tool of its code and of the file in the system space that says what it takes. A file of a project or a
 * user with its id changes nothing: the code is the runtime's, and the file is what the code was written for.
 *
 * @throws SkeinError if the file can't be used
 */
export function createThreadTool({ id, run, mayRunAgain }: ThreadToolCode, items: Pick<ItemCache, 'tool'>): ThreadTool {
  const { description, inputSchema, idempotent } = items.tool(id, 'system');
  const check = compileInputCheck(inputSchema);
  return {
    id,
    description,
    inputSchema,
    idempotent,
    mayRunAgain: mayRunAgain ?? (() => idempotent),
    run(_input, _caller, done) {
      done({ ok: false, failure: { code: 'not_available', message: `${id} can be called by threads only` } });
      return undefined;
    },
    runFor(call, done) {
      const checked = check(call.input);
      if (checked.ok) return run({ ...call, input: checked.value }, done);
      done(checked);
      return undefined;
    },
  };
}
