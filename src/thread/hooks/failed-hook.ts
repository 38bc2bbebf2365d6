import type { Failure } from '../../core/errors.ts';
import type { HookEvent } from '../../core/hook-events.ts';
import { isInternalTool } from '../../tools/internal-tool.ts';
import type { Control } from './control.ts';
import type { Hook, HookAction } from './hooks.ts';
import { CONTROL } from '../internal/internal-tools.ts';
import type { Services } from '../services/services.ts';

/** An action of a hook that gave nothing. */
export type FailedAction = {
  readonly services: Services;
  readonly event: HookEvent;
  readonly hook: Hook;
  readonly action: HookAction;
};

/**
 * What it means for the thread that a hook could not say what it decides (docs/adr/0027-hooks-that-fail.md). Where it was asked
 * before something is spent, done or given out, that is not done; elsewhere, and where nothing could have been decided,
 * undefined: the thread goes on as if there were no such hook.
 */
export function decisionOfFailure(failed: FailedAction, failure: Failure): Control | undefined {
  const { services, event, hook, action } = failed;
  if (hook.layer === 3) return undefined;
  const isLoop = event === 'before_tool' && failure.code === 'hook_depth_exceeded';
  if (!isLoop && !mightDecide(action, services)) return undefined;
  const error = `Hook ${hook.id} failed at ${event}: ${failure.message}`;
  switch (event) {
    case 'before_tool':
      return { action: 'skip', error };
    case 'before_step':
    case 'directive_return':
      return { action: 'suspend', suspend_reason: error };
    case 'limit':
      return { action: services.config.resilience.limits.onExceed };
    default:
      return undefined;
  }
}

/** Only `internal/control` and functions of the host decide; an internal tool that is not there is one of those misspelt. */
function mightDecide({ hostFunction, itemId }: HookAction, { internalTools }: Services): boolean {
  if (hostFunction !== undefined || itemId === CONTROL) return true;
  return isInternalTool(itemId) && !internalTools.has(itemId);
}
