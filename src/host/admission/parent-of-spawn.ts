import { fromFailure, type Failure } from '../../core/errors.ts';
import { heirOf } from '../endings/heir.ts';
import { findEntry, type EntrySources } from '../rest/find-entry.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

/**
 * The parent of a thread that the embedder asks for: the one it names, or who took over from that.
 *
 * @throws SkeinError `thread_not_found`; `thread_ended`; `invalid_argument`: it does not run
 */
export function parentOfSpawn(id: string, sources: EntrySources): ThreadEntry {
  const parent = heirOf(findEntry(id, sources), sources);
  if (parent.worker >= 0 || parent.absence) return parent;
  throw fromFailure(noParent(parent));
}

/** Why a thread that is in no worker can't be a parent now. */
export function noParent({ phase, lineage }: Pick<ThreadEntry, 'phase' | 'lineage'>): Failure {
  const code = phase === 'ended' ? 'thread_ended' : 'invalid_argument';
  return { code, message: `Thread ${lineage.threadId} is ${phase}: only a running thread can be a parent` };
}
