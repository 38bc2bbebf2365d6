import type { Failure } from '../core/errors.ts';
import type { SpaceName } from '../core/item.ts';
import { failed, type Result } from '../core/result.ts';
import type { RunningTool, ToolOutcome } from '../core/tool.ts';
import { outcomeResult } from './primary-outcome.ts';
import type { ExecuteRequest } from './primary-request.ts';
import { failure, success, type PrimaryResult } from './primary-result.ts';

type Params = Readonly<Record<string, unknown>>;

/**
 * A tool below `rye/agent/threads/internal`, bound to the thread it is about (S2 §5). What S2 calls `_thread_context` is
 * in it already, so that no params can stand for it. `run` calls `done` as a `Tool` does.
 */
export type BoundInternalTool = {
  /** Params as it takes them, or what is wrong with them. */
  read(params: Params): Result<Params>;
  run(params: Params, done: (outcome: ToolOutcome) => void): RunningTool | undefined;
};

/** Whether an id is that of an internal tool: hooks may call it, models never (contracts, "Internal tools"). */
export function isInternalTool(id: string): boolean {
  return id.startsWith('rye/agent/threads/internal/');
}

/** Runs an internal tool; `tool` is undefined for a caller that may not call any. */
export function runInternal(
  { kind, id, params, dryRun, source = 'system' }: ExecuteRequest,
  tool: BoundInternalTool | undefined,
  done: (result: PrimaryResult) => void,
): RunningTool | undefined {
  const subject = { type: kind, item_id: id };
  if (source !== 'system') {
    done(failure(subject, notThere(id, source)));
    return undefined;
  }
  const input = tool ? tool.read(params) : failed(notForCallers(id));
  if (tool && input.ok && !dryRun) return tool.run(input.value, (outcome) => done(outcomeResult(subject, outcome)));
  const plan = { dry_run: true, chain: [] };
  done(input.ok ? success(subject, { ...plan, parameters: input.value }) : failure(subject, input.failure));
  return undefined;
}

function notThere(id: string, source: SpaceName): Failure {
  const message = `There is no tool "${id}" in the ${source} space: what is carried out by the runtime is in the system space`;
  return { code: 'item_not_found', message };
}

function notForCallers(id: string): Failure {
  const message = `${id} is carried out by the runtime for its hooks; nobody else can execute it`;
  return { code: 'permission_denied', message };
}
