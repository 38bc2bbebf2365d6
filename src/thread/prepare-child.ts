import { SkeinError } from '../core/errors.ts';
import type { ThreadId } from '../core/ids.ts';
import type { SpawnRequest, ThreadSpec } from '../core/protocol.ts';
import type { InWorker } from './conversation.ts';
import { prepareSpec } from './prepare-spec.ts';

/**
 * Prepares a child: capped by its parent's limits and capabilities.
 *
 * @throws SkeinError `spawns_exceeded`, `depth_exceeded`, or whatever is wrong with the request
 */
export function prepareChild({ thread, services }: InWorker, request: SpawnRequest): ThreadSpec {
  const { limits, spawned, spend, spec } = thread;
  if (spawned >= limits.spawns) {
    throw new SkeinError('spawns_exceeded', `This thread may spawn ${limits.spawns} threads and has spawned as many`);
  }
  return prepareSpec(request, services, {
    limits: { limits, remaining: Math.max(0, limits.spend - spend), spawnsLeft: limits.spawns - spawned },
    capabilities: spec.capabilities,
  });
}

/** Notes in the parent that a child was admitted. */
export function recordChild({ thread, services }: InWorker, childId: ThreadId, directive: string): void {
  thread.spawned++;
  services.journal.record(thread, 'child_thread_started', {
    child_thread_id: childId,
    child_directive: directive,
    parent_thread_id: thread.lineage.threadId,
  });
}
