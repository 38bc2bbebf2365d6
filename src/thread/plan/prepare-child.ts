import { SkeinError, toFailure } from '../../core/errors.ts';
import type { ThreadId } from '../../core/ids.ts';
import type { NanoUsd } from '../../core/money.ts';
import type { SplitSpec } from '../../core/packed-spec.ts';
import type { SpawnRequest } from '../../core/protocol.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import { failureIn } from '../../core/store.ts';
import { childStarted } from '../hooks/child-hooks.ts';
import type { InWorker } from '../conversation/conversation.ts';
import { capabilityName } from '../../items/capability.ts';
import { prepareSpec } from './prepare-spec.ts';

/** A thread that starts a child. */
export type Spawning = InWorker & {
  /** Number of hooks that led to it; undefined = none but those above the thread. */
  readonly hookDepth?: number;
  /** A hook of a config file starts it: it may run every directive. */
  readonly mayRunAll?: boolean;
};

/** How many hooks may stand one below the other: more are an endless recursion, or nobody's plan. */
const MAX_HOOK_DEPTH = 4;

/**
 * Prepares a child: capped by its parent's limits and capabilities, and by what the ledger says its parent has left. A
 * failure is `spawns_exceeded`, `depth_exceeded`, `hook_depth_exceeded`, or whatever is wrong with the request.
 */
export function prepareChild(
  worker: Spawning,
  request: SpawnRequest,
  done: (prepared: Result<SplitSpec>) => void,
): void {
  const { thread, services } = worker;
  services.store.submit({ type: 'remaining', thread: thread.lineage.thread }, (result) => {
    if (result === true || result.type !== 'remaining') {
      const failure = failureIn(result) ?? { code: 'store_failed', message: 'The ledger did not say what is left' };
      return done(failed(failure));
    }
    try {
      done(ok(specOf(worker, request, result.remaining)));
    } catch (thrown) {
      done(failed(toFailure(thrown, 'tool_failed')));
    }
  });
}

function specOf(worker: Spawning, request: SpawnRequest, remaining: NanoUsd): SplitSpec {
  const { thread, services, mayRunAll = false } = worker;
  const { limits, spawned, spec } = thread;
  const hookDepth = worker.hookDepth ?? spec.own.hookDepth ?? 0;
  if (hookDepth > MAX_HOOK_DEPTH) {
    throw new SkeinError('hook_depth_exceeded', `Hooks start each other ${hookDepth} deep: ${MAX_HOOK_DEPTH} may`);
  }
  if (spawned >= limits.spawns) {
    throw new SkeinError('spawns_exceeded', `This thread may spawn ${limits.spawns} threads and has spawned as many`);
  }
  if (!mayRunAll && !thread.plan.mayRun(request.directive)) {
    const capability = capabilityName('execute', 'directive', request.directive);
    throw new SkeinError('permission_denied', `This thread may not run ${request.directive}: it lacks ${capability}`);
  }
  const prepared = prepareSpec(request, services.latest(), {
    limits: { limits, remaining, spawnsLeft: limits.spawns - spawned },
    capabilities: spec.shared.capabilities,
  });
  return hookDepth === 0 ? prepared : { ...prepared, own: { ...prepared.own, hookDepth } };
}

/** A child that was admitted; `continues`: it takes over from another child, and is none more. */
type LoggedChild = { readonly childId: ThreadId; readonly directive: string; readonly continues?: ThreadId };

/** Notes in the parent that a child was admitted, and tells its hooks. */
export function recordChild(worker: Spawning, child: LoggedChild): void {
  const { thread, services, hookDepth } = worker;
  const { childId, directive } = child;
  logChild(worker, child);
  childStarted({ thread, services }, { childId, directive, ...(hookDepth !== undefined && { hookDepth }) });
}

/** Notes in the parent that a child was admitted. */
export function logChild({ thread, services }: InWorker, { childId, directive, continues }: LoggedChild): void {
  if (continues === undefined) thread.spawned++;
  services.journal.record(thread, 'child_thread_started', {
    child_thread_id: childId,
    child_directive: directive,
    parent_thread_id: thread.lineage.threadId,
  });
  // The parent may wait long for it.
  services.journal.flushSoon(thread);
}
