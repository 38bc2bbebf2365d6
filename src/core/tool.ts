import type { SkeinErrorCode } from './errors.ts';
import type { ThreadId } from './ids.ts';
import type { ItemKind, PrimaryAction } from './item.ts';
import type { Result } from './result.ts';

/** What a tool gives back: a value for the model, or a failure the model may react to. */
export type ToolOutcome = Result<unknown>;

/** How the result of a call that failed begins; what went wrong follows. */
export function failureStart(code: SkeinErrorCode): string {
  return `error [${code}]: `;
}

/** What a tool may know about its caller. */
export type ToolCaller = {
  /** Undefined for a caller outside of any thread: a person at a terminal, an MCP client. */
  readonly threadId: ThreadId | undefined;
  readonly callId: string;
  /** Absolute path of the project root. */
  readonly projectPath: string;
  /** Whether the caller may do that to an item (contracts, "Capabilities"); without an id: to every item of the kind. */
  readonly allows: (primary: PrimaryAction, kind: ItemKind | undefined, id: string | undefined) => boolean;
};

/** A tool call in flight. */
export interface RunningTool {
  /**
   * Ends it at once: kills the process group, aborts the request. `done` is not called afterwards. `stays`: the call stays open, and is
   * made again.
   */
  abort(stays?: boolean): void;
}

/**
 * A tool ready to be called inside a worker. `run` calls `done` exactly once, in the same tick or later, and never
 * throws; it returns nothing if it is already done.
 */
export interface Tool {
  /** Item id, e.g. `rye/file-system/read`. */
  readonly id: string;
  readonly description: string;
  /** JSON Schema of the input. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** True if running it twice does no harm: such a call need not wait until its start is on disk. */
  readonly idempotent: boolean;
  run(
    input: Readonly<Record<string, unknown>>,
    caller: ToolCaller,
    done: (outcome: ToolOutcome) => void,
  ): RunningTool | undefined;
}
