import type { Config } from '../../config/config.ts';
import type { Services } from '../services/services.ts';
import { attemptOf, type Thread } from '../thread.ts';

/** A point in a turn at which `checkpoint.triggers` say whether a checkpoint is taken (S2 §4.4). */
export type CheckpointTrigger = keyof Config['resilience']['checkpoint']['triggers'];

/**
 * Marks a checkpoint as due at one of these points: it commits with the next step, unless that step ends the thread. A
 * point that is switched off takes none; what is due already stays so.
 */
export function markCheckpoint(thread: Thread, { config }: Services, trigger: CheckpointTrigger): void {
  if (config.resilience.checkpoint.triggers[trigger]) thread.checkpointDue = true;
}

/** Before a model call: nothing has been counted before the first one, and a repeated call is no new turn. */
export function markBeforeTurn(thread: Thread, services: Services): void {
  if (thread.turns > 0 && attemptOf(thread) === 0) markCheckpoint(thread, services, 'preTurn');
}
