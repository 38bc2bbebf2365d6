import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ToolCaller } from './tool.ts';

/** What the code of a tool is told of the call. */
export type ModuleToolCaller = ToolCaller & {
  /** Aborted once nobody waits for the call any more: its thread is cancelled, suspended or out of time. */
  readonly signal: AbortSignal;
};

/** A tool as a module exports it; the ones that need no process of their own. */
export type ModuleTool = {
  /** Item id, e.g. `project/deploy/status`. */
  readonly id: string;
  readonly description: string;
  /** A Standard Schema (zod, valibot, …) or a JSON Schema of an object. */
  readonly input: StandardSchemaV1 | Readonly<Record<string, unknown>>;
  /** JSON Schema for the model; needed only if `input` is a Standard Schema that is not zod's. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  /** True if running it twice does no harm. Default false. */
  readonly idempotent?: boolean;
  /** `input` is what the schema made of it. What is returned (or resolved) goes to the model; a throw is `tool_failed`. */
  run(input: never, caller: ModuleToolCaller): unknown;
};
