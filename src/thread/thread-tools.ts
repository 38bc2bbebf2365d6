import type { ToolCall } from '../core/conversation.ts';
import type { RunningTool, Tool, ToolOutcome } from '../core/tool.ts';
import { DIRECTIVE_RETURN_NAME } from '../prompt/return-tool.ts';
import { directiveReturn } from './directive-return.ts';
import { orchestrator } from './orchestrator-tool.ts';
import type { Services } from './services.ts';
import { threadDirective } from './thread-directive-tool.ts';
import type { Thread } from './thread.ts';

/** A call of a thread tool. */
export type ThreadToolCall = {
  readonly thread: Thread;
  readonly services: Services;
  readonly call: ToolCall;
  /** To be called when nothing but other threads is waited for: the slot may be given back. */
  readonly waits: () => void;
};

/** A tool that runs in the thread's own worker because it is about threads (contracts, `rye/agent/threads/*`). */
export interface ThreadTool extends Tool {
  runFor(call: ThreadToolCall, done: (outcome: ToolOutcome) => void): RunningTool | undefined;
}

/** The thread tools a directive can be granted. `directive_return` is not among them: it is always allowed. */
export const THREAD_TOOLS: readonly ThreadTool[] = [threadDirective, orchestrator];

/** The thread tool a model means by a name, if it is one and the thread may call it. */
export function threadToolNamed({ plan }: Thread, name: string): ThreadTool | undefined {
  if (name === DIRECTIVE_RETURN_NAME) return directiveReturn;
  const tool = plan.palette.resolve(name);
  return tool && THREAD_TOOLS.find((known) => known === tool);
}
