import { ITEM_KINDS } from '../core/item.ts';
import { attempt } from '../core/result.ts';
import type { RunningTool, ToolCaller } from '../core/tool.ts';
import { isInternalTool, runInternal, type BoundInternalTool } from './internal-tool.ts';
import type { PrimaryActions } from './primary-actions.ts';
import { readRequest, type PrimaryRequest, type ReadRequest, type GivenAction } from './primary-request.ts';
import { failure, type ActionSubject, type PrimaryResult } from './primary-result.ts';
import { findDenial } from './primary-rights.ts';

/** Who dispatches. */
export type DispatchContext = ToolCaller & {
  /** The tools below `rye/agent/threads/internal`, bound to the thread they are about: given by the runtime's hooks alone. */
  readonly internal?: (id: string) => BoundInternalTool | undefined;
};

/** Carries out actions as they stand in directives, hooks and models' calls (S2 §6.7). */
export interface ToolDispatcher {
  /**
   * Carries out an action. `done` is called exactly once, in the same tick or later, and not after `abort`; whatever is
   * wrong is an error result. Returns nothing if it is already done.
   */
  dispatch(
    action: GivenAction,
    context: DispatchContext,
    done: (result: PrimaryResult) => void,
  ): RunningTool | undefined;
  /**
   * Carries out actions side by side; results in the order of the actions. `abort` ends all that are not done. S2 §6.7 has
   * it as `dispatch_parallel`; a thread does not need it, since its machine has the calls of a turn side by side.
   */
  dispatchParallel(
    actions: readonly GivenAction[],
    context: DispatchContext,
    done: (results: readonly PrimaryResult[]) => void,
  ): RunningTool | undefined;
}

/**
 * Makes a dispatcher.
 *
 * Invariants: (1) nothing is started that the context does not allow; (2) a reserved name is refused wherever it stands
 * in an action; (3) an internal tool runs only through the context's `internal`.
 */
export function createToolDispatcher(actions: PrimaryActions): ToolDispatcher {
  const dispatch: ToolDispatcher['dispatch'] = (action, context, done) => {
    const read = attempt(() => readRequest(action));
    if (read.ok) return carryOut(actions, { ...read.value, context }, done);
    done(failure(subjectOf(action), read.failure));
    return undefined;
  };
  return {
    dispatch,
    dispatchParallel(written, context, done) {
      const results: PrimaryResult[] = [];
      const running = new Map<number, RunningTool>();
      let left = written.length;
      if (left === 0) done(results);
      for (const [index, action] of written.entries()) {
        const call = dispatch(action, context, (result) => {
          results[index] = result;
          running.delete(index);
          left -= 1;
          if (left === 0) done(results);
        });
        if (call && results[index] === undefined) running.set(index, call);
      }
      if (left === 0) return undefined;
      return {
        abort: () => {
          for (const call of running.values()) call.abort();
        },
      };
    },
  };
}

type Order = ReadRequest & { readonly context: DispatchContext };

function carryOut(
  actions: PrimaryActions,
  { request, warnings, context }: Order,
  done: (result: PrimaryResult) => void,
): RunningTool | undefined {
  const finish = (result: PrimaryResult): void => done(addWarnings(result, warnings));
  const denial = findDenial(request, context);
  if (denial) {
    finish(failure(subjectOfRequest(request), denial));
    return undefined;
  }
  if (request.primary === 'execute' && request.kind === 'tool' && isInternalTool(request.id)) {
    return runInternal(request, context.internal?.(request.id), finish);
  }
  // What is only for the runtime's hooks is not handed on to tools.
  const { internal: _, ...caller } = context;
  return actions.perform(request, caller, finish);
}

function addWarnings(result: PrimaryResult, warnings: readonly string[]): PrimaryResult {
  return warnings.length === 0 ? result : { ...result, warnings: [...warnings, ...(result.warnings ?? [])] };
}

function subjectOfRequest(request: PrimaryRequest): ActionSubject {
  return request.primary === 'search'
    ? { type: request.kind ?? null, item_id: null }
    : { type: request.kind, item_id: request.id };
}

/** What an action that can't be read seems to be about. */
function subjectOf(action: GivenAction): ActionSubject {
  const kind = ITEM_KINDS.find((known) => known === action['item_type']);
  const id = action['item_id'];
  return { type: kind ?? null, item_id: typeof id === 'string' ? id.slice(0, MAX_ID_SHOWN) : null };
}

const MAX_ID_SHOWN = 512;
